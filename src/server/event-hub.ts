/** The response of one reader, as far as the hub needs it. */
export interface EventSink {
  /** False where what was written waits for the reader. */
  write(chunk: Buffer): boolean;
  end(): void;
  destroy(): void;
  on(event: 'drain' | 'close', listener: () => void): unknown;
}

interface Reader {
  readonly sink: EventSink;
  /** Sections that changed while it did not read. */
  readonly waiting: Set<string>;
  isBlocked: boolean;
  /** Beats since it last read. */
  missedBeats: number;
}

/** A reader that has read nothing between so many beats is gone. */
const MOST_MISSED_BEATS = 3;
const BEAT = Buffer.from(': beat\n\n');
const END = Buffer.from('event: end\ndata: {}\n\n');

/**
 * Server-sent events to all open pages. There is one newest event per section, shared by all readers: one that does not read costs a name per
 * section, whatever happens meanwhile, and gets the newest of each when it reads again.
 */
export class EventHub {
  readonly #readers = new Set<Reader>();
  readonly #newest = new Map<string, Buffer>();
  #hasEnded = false;

  get readers(): number {
    return this.#readers.size;
  }

  /** Nothing was told, and nothing will be. */
  get isSilent(): boolean {
    return this.#hasEnded && this.#newest.size === 0;
  }

  /** Events that wait for readers. */
  get waiting(): number {
    return [...this.#readers].reduce((sum, { waiting }) => sum + waiting.size, 0);
  }

  /** Replaces a section in all pages, or tells them its news; `data` is JSON. */
  publish(section: string, data: string, event: 'section' | 'news' = 'section'): void {
    this.#newest.set(section, Buffer.from(`event: ${event}\ndata: ${data.replaceAll(/[\r\n]/g, ' ')}\n\n`));
    for (const reader of this.#readers) {
      reader.waiting.add(section);
      this.#send(reader);
    }
  }

  /** The run has ended: no more comes. */
  end(): void {
    this.#hasEnded = true;
    for (const reader of this.#readers) this.#send(reader);
  }

  /** A reader that comes later gets what has changed before it came. */
  attach(sink: EventSink): void {
    const reader: Reader = { sink, waiting: new Set(this.#newest.keys()), isBlocked: false, missedBeats: 0 };
    this.#readers.add(reader);
    sink.on('close', () => this.#readers.delete(reader));
    sink.on('drain', () => {
      reader.isBlocked = false;
      reader.missedBeats = 0;
      this.#send(reader);
    });
    this.#send(reader);
  }

  /** Call it every few seconds: it keeps connections open, and drops readers that are gone. */
  beat(): void {
    for (const reader of this.#readers) {
      if (!reader.isBlocked) reader.isBlocked = !reader.sink.write(BEAT);
      else if (++reader.missedBeats >= MOST_MISSED_BEATS) {
        this.#readers.delete(reader);
        reader.sink.destroy();
      }
    }
  }

  #send(reader: Reader): void {
    for (const section of reader.waiting) {
      if (reader.isBlocked) return;
      reader.waiting.delete(section);
      const event = this.#newest.get(section);
      if (event !== undefined) reader.isBlocked = !reader.sink.write(event);
    }
    if (!this.#hasEnded || reader.isBlocked) return;
    this.#readers.delete(reader);
    reader.sink.write(END);
    reader.sink.end();
  }
}
