import { type Address, addressOf } from './http-address.ts';
import { allocate, HttpBody } from './http-body.ts';
import type { HttpClient } from './http-client.ts';
import { replaced, tooLarge, withoutRanges, wrongRange } from './http-failure.ts';
import { type Answer, passOver } from './http-request.ts';
import { type ObjectLimits, objectLimits } from './http-settings.ts';
import type { TimeLimit } from './time-limit.ts';

/** A part of an object: fewer bytes than asked for where the object ends. */
export interface Part {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of the whole object. */
  readonly size: number;
}

/** One object, read in parts that must all be of the same version. */
export class HttpObject {
  readonly address: Address;
  readonly #client: HttpClient;
  readonly #limits: ObjectLimits;
  #size: number | undefined;
  #version: string | undefined;

  constructor(url: string, client: HttpClient, limits: ObjectLimits = objectLimits(client.settings)) {
    this.address = addressOf(url);
    this.#client = client;
    this.#limits = limits;
  }

  /** The bytes from `from` up to `to`. What breaks on the way goes on where it broke. A server without ranges is refused. */
  read(from: number, to: number): Promise<Part> {
    return this.#limited(limit => this.#readInto(new HttpBody(this.address, to - from), from, to, limit));
  }

  /**
   * All bytes. Objects of more than one part are read when it is their `turn`: they are held whole. A server without
   * ranges can only send all; what is more than a part is left where it is until then.
   */
  readWhole(turn: Promise<void>): Promise<Uint8Array<ArrayBuffer>> {
    return this.#limited(async limit => {
      const body = new HttpBody(this.address, this.#limits.mostUnsized);
      const first = await this.#readInto(body, 0, this.#client.settings.partBytes, limit, turn);
      if (first.bytes.length === first.size) return first.bytes;
      if (first.size > this.#limits.most) throw tooLarge(this.address, first.size, this.#limits.most);
      await turn;
      return this.#readParts(first.size, first.bytes, limit);
    });
  }

  async #limited<T>(work: (limit: TimeLimit) => Promise<T>): Promise<T> {
    const limit = this.#client.timeLimit(this.address);
    try {
      return await work(limit);
    } catch (error) {
      // Other parts of it may be under way.
      limit.cancel(error);
      throw error;
    } finally {
      limit.close();
    }
  }

  /** `turn`: given where all may come instead of the part that was asked for. */
  async #readInto(body: HttpBody, from: number, to: number, limit: TimeLimit, turn?: Promise<void>): Promise<Part> {
    await this.#client.persist(
      this.address,
      limit,
      async () => {
        const answer = await this.#client.get(this.address, from + body.length, to, limit.signal);
        if (answer.status === 416) {
          passOver(answer);
          this.#size = 0;
        } else if (answer.status === 206) {
          const at = from + body.length;
          const end = this.#checkRange(answer, at, to);
          body.expect(end - from);
          await this.#receive(answer, body, at, end);
        } else await this.#receiveWhole(answer, body, limit, turn);
      },
      () => body.length,
    );
    return { bytes: body.bytes, size: this.#size ?? 0 };
  }

  async #receive({ message }: Answer, body: HttpBody, from: number, end: number): Promise<void> {
    let at = from;
    for await (const chunk of message as AsyncIterable<Buffer>) {
      at += chunk.length;
      if (at > end) throw new Error('more bytes came than were announced');
      body.append(chunk);
      this.#client.arrived();
    }
    if (at < end) throw new Error('the connection ended early');
  }

  /** It starts over: what is there already is passed over. */
  async #receiveWhole(
    answer: Answer,
    body: HttpBody,
    limit: TimeLimit,
    turn: Promise<void> | undefined,
  ): Promise<void> {
    const { message } = answer;
    if (turn === undefined) {
      message.destroy();
      throw withoutRanges(this.address);
    }
    const size = this.#checkWhole(answer);
    if (size !== undefined && size > this.#limits.most) {
      message.destroy();
      throw tooLarge(this.address, size, this.#limits.most);
    }
    const isSmall = size !== undefined && size <= this.#client.settings.partBytes;
    let isTurn = isSmall;
    if (isSmall) body.expect(size);
    let at = 0;
    for await (const chunk of message as AsyncIterable<Buffer>) {
      const passed = Math.min(chunk.length, Math.max(0, body.length - at));
      at += chunk.length;
      if (!isTurn && at > this.#client.settings.partBytes) {
        await this.#client.stepAside(answer, limit, turn);
        isTurn = true;
        if (size !== undefined) body.expect(size);
      }
      body.append(passed === 0 ? chunk : chunk.subarray(passed));
      this.#client.arrived();
    }
    if (size !== undefined && at < size) throw new Error('the connection ended early');
    this.#size = at;
  }

  /** All `size` bytes in parts, several under way at once. `known` are the first of them. */
  async #readParts(size: number, known: Uint8Array, limit: TimeLimit): Promise<Uint8Array<ArrayBuffer>> {
    const whole = allocate(this.address, size);
    whole.set(known);
    const parts: Promise<Part>[] = [];
    const { partBytes } = this.#client.settings;
    for (let at = known.length; at < size; at += partBytes) {
      const end = Math.min(size, at + partBytes);
      const body = new HttpBody(this.address, end - at, whole.subarray(at, end));
      parts.push(this.#readInto(body, at, end, limit));
    }
    await Promise.all(parts);
    return whole;
  }

  /** Where the answer's bytes end. */
  #checkRange({ message }: Answer, from: number, to: number): number {
    const header = message.headers['content-range'];
    const [, start, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(header ?? '') ?? [];
    const end = Number(last) + 1;
    // Only the object's end may cut a range short, or bytes would be missing without a word.
    if (total === undefined || Number(start) !== from || end !== Math.min(to, Number(total))) {
      message.destroy();
      throw wrongRange(this.address, `bytes ${from}-${to - 1}`, header);
    }
    this.#checkVersion(message, Number(total));
    return end;
  }

  #checkWhole({ message }: Answer): number | undefined {
    const length = message.headers['content-length'];
    const size = length === undefined ? undefined : Number(length);
    this.#checkVersion(message, size);
    return size;
  }

  #checkVersion(message: Answer['message'], size: number | undefined): void {
    const version = message.headers.etag ?? message.headers['last-modified'];
    const other = this.#version !== undefined && version !== undefined && version !== this.#version;
    if (other || (this.#size !== undefined && size !== undefined && size !== this.#size)) {
      message.destroy();
      throw replaced(this.address);
    }
    this.#version ??= version;
    this.#size ??= size;
  }
}
