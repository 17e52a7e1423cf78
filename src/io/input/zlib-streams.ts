/** What zlib's own synchronous functions are made of. `_writeState` holds the room left for output and the input left over. */
export interface ZlibStream {
  readonly _handle: {
    onerror: (message: string) => void;
    writeSync(
      flush: number,
      input: Uint8Array,
      inputAt: number,
      inputLength: number,
      output: Uint8Array,
      outputAt: number,
      outputLength: number,
    ): void;
    reset(): void;
  };
  readonly _writeState: Uint32Array;
  close(): void;
}

/** Per kind of stream: twice what an interleave opens by default. One takes some 60 kB, one that compresses 270 kB. */
const MOST_IDLE = 16;
const FIRST_ROOM_BYTES = 64 * 1024;

/**
 * The zlib streams of one kind in this thread, used for one file after the other. Node makes a stream in two steps, and ends the whole
 * process if a thread is terminated between them: a thread that made one for every file or page would hit on that in the end.
 */
export class ZlibStreams {
  readonly #make: () => ZlibStream;
  readonly #idle: ZlibStream[] = [];

  constructor(make: () => ZlibStream) {
    this.#make = make;
  }

  take(): ZlibStream {
    return this.#idle.pop() ?? this.#make();
  }

  /** Takes back a stream that did not fail, wherever in its data it is. One that failed is closed instead: not all of them recover. */
  giveBack(stream: ZlibStream): void {
    let failed = this.#idle.length === MOST_IDLE;
    stream._handle.onerror = () => {
      failed = true;
    };
    if (!failed) stream._handle.reset();
    if (failed) stream.close();
    else this.#idle.push(stream);
  }

  /** What becomes of `input` as a whole. Throws where that is more than `most` bytes; `flush` is what ends the data. */
  convert(input: Uint8Array, flush: number, most = Number.MAX_SAFE_INTEGER): Uint8Array<ArrayBuffer> {
    const stream = this.take();
    const { _handle: handle, _writeState: state } = stream;
    let failure: string | undefined;
    handle.onerror = message => {
      failure = message;
    };
    // `most` is what a file says of itself, so it is not taken for the size; the byte beyond it tells that there is more.
    let output = new Uint8Array(Math.min(most + 1, Math.max(FIRST_ROOM_BYTES, 4 * input.length)));
    let [read, written] = [0, 0];
    for (;;) {
      handle.writeSync(flush, input, read, input.length - read, output, written, output.length - written);
      if (failure !== undefined) {
        stream.close();
        throw new Error(failure);
      }
      const [roomLeft = 0, inputLeft = 0] = state;
      read = input.length - inputLeft;
      written = output.length - roomLeft;
      if (roomLeft > 0 || written > most) break;
      const larger = new Uint8Array(Math.min(most + 1, 2 * output.length));
      larger.set(output);
      output = larger;
    }
    this.giveBack(stream);
    if (written > most) throw new Error(`there are more than ${most} bytes in it`);
    return output.subarray(0, written);
  }
}
