import { decodeText, type EventParser } from './event-parser.ts';
import { CHAR, endOfString, endOfValue, INCOMPLETE, MalformedJson, skipSpace } from './json-bytes.ts';

/** The largest event or other value of a trace. Those of profilers are some thousand bytes. */
const LARGEST_VALUE_BYTES = 16 * 1024 * 1024;

type State = 'start' | 'member' | 'behind-member' | 'event' | 'behind-event' | 'end';

/**
 * A Chrome trace as it comes, piece by piece: its events one after the other, and what stands beside them. No more of it is held than the piece
 * and the value that is not whole yet.
 */
export class TraceParser<Argument extends string> {
  /** Members of the outermost object beside the events, as JSON; those of more than `LARGEST_MEMBER_BYTES` are left out. */
  readonly members = new Map<string, string>();
  readonly #parser: EventParser<Argument>;
  readonly #onEvent: () => void;
  #state: State = 'start';
  #isList = false;
  #hasEvents = false;
  #rest: Uint8Array = new Uint8Array(0);
  /** Position of `#rest` in the whole text. */
  #position = 0;

  constructor(parser: EventParser<Argument>, onEvent: () => void) {
    this.#parser = parser;
    this.#onEvent = onEvent;
  }

  push(piece: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? piece : joined(this.#rest, piece);
    let at = 0;
    try {
      while (this.#state !== 'end') {
        const next = this.#advance(bytes, at);
        if (next === INCOMPLETE) break;
        at = next;
      }
    } catch (error) {
      if (!(error instanceof MalformedJson)) throw error;
      throw new MalformedJson(this.#position + error.at, error.message);
    }
    if (this.#state === 'end') at = bytes.length;
    if (bytes.length - at > LARGEST_VALUE_BYTES) {
      const size = LARGEST_VALUE_BYTES / 1024 / 1024;
      throw new MalformedJson(this.#position + at, `a value there is larger than ${size} MiB`);
    }
    this.#rest = bytes.slice(at);
    this.#position += at;
  }

  /** Ends the text. Throws where it is not whole. */
  end(): void {
    if (this.#state !== 'end') throw new MalformedJson(this.#position + this.#rest.length, 'it ends in the middle');
    if (!this.#hasEvents) throw new MalformedJson(0, 'it has no list of traceEvents');
  }

  /** Goes one token further, or to INCOMPLETE. */
  #advance(bytes: Uint8Array, from: number): number {
    const at = skipSpace(bytes, from);
    if (at === INCOMPLETE) return INCOMPLETE;
    const char = bytes[at];
    switch (this.#state) {
      case 'start':
        if (char === CHAR.openBracket) this.#isList = true;
        else if (char !== CHAR.openBrace) throw new MalformedJson(at, 'it is no JSON object');
        this.#hasEvents = this.#isList;
        this.#state = this.#isList ? 'event' : 'member';
        return at + 1;
      case 'member':
        if (char === CHAR.closeBrace) return this.#ended(at);
        return this.#member(bytes, at);
      case 'behind-member':
        if (char === CHAR.closeBrace) return this.#ended(at);
        if (char !== CHAR.comma) throw new MalformedJson(at, 'a comma is missing');
        this.#state = 'member';
        return at + 1;
      case 'event':
        if (char === CHAR.closeBracket) return this.#endOfEvents(at);
        return this.#event(bytes, at);
      case 'behind-event':
        if (char === CHAR.closeBracket) return this.#endOfEvents(at);
        if (char !== CHAR.comma) throw new MalformedJson(at, 'a comma is missing');
        this.#state = 'event';
        return at + 1;
      case 'end':
        return INCOMPLETE;
    }
  }

  #event(bytes: Uint8Array, at: number): number {
    if (bytes[at] !== CHAR.openBrace) throw new MalformedJson(at, 'an event is no JSON object');
    this.#parser.bytes = bytes;
    const end = this.#parser.parse(at);
    if (end === INCOMPLETE) return INCOMPLETE;
    this.#onEvent();
    this.#state = 'behind-event';
    return end;
  }

  #member(bytes: Uint8Array, at: number): number {
    if (bytes[at] !== CHAR.quote) throw new MalformedJson(at, 'the name of a member is missing');
    const keyEnd = endOfString(bytes, at);
    if (keyEnd === INCOMPLETE) return INCOMPLETE;
    const colon = skipSpace(bytes, keyEnd + 1);
    if (colon === INCOMPLETE) return INCOMPLETE;
    if (bytes[colon] !== CHAR.colon) throw new MalformedJson(colon, 'a colon is missing');
    const start = skipSpace(bytes, colon + 1);
    if (start === INCOMPLETE) return INCOMPLETE;
    const key = decodeText(bytes, at + 1, keyEnd);
    if (key === 'traceEvents' && bytes[start] === CHAR.openBracket) {
      this.#hasEvents = true;
      this.#state = 'event';
      return start + 1;
    }
    const end = endOfValue(bytes, start);
    if (end === INCOMPLETE) return INCOMPLETE;
    if (end - start <= LARGEST_MEMBER_BYTES) {
      this.members.set(key, new TextDecoder().decode(bytes.subarray(start, end)));
    }
    this.#state = 'behind-member';
    return end;
  }

  #endOfEvents(at: number): number {
    this.#state = this.#isList ? 'end' : 'behind-member';
    return at + 1;
  }

  #ended(at: number): number {
    this.#state = 'end';
    return at + 1;
  }
}

const LARGEST_MEMBER_BYTES = 256 * 1024;

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
