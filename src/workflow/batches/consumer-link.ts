import { EventEmitter, once } from 'node:events';
import { rmdirSync, unlinkSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { VenturiError } from '../../model/errors.ts';
import { frame, type Hello, type Letter, readFrames } from './frames.ts';

/** Batches that are sent before they are asked for: the consumer finds one in its socket without a turn of this process. */
const AHEAD = 2;

/** Time, ms, between two looks at whether the consumer's process is there: others that it forked may hold its end of the socket. */
const LOOK_MS = 1000;

/** The other side: a process that asks for batches. */
export class ConsumerLink {
  readonly #socket: Socket;
  readonly #gone = new AbortController();
  readonly hello: Promise<Hello>;
  /** Called with the slots that the consumer is done with. */
  onReleased: (slots: readonly number[]) => void = () => undefined;
  /** Called when it asked for a batch. */
  onAsked: () => void = () => undefined;
  readonly #changes = new EventEmitter();
  #asked = 0;
  #sent = 0;
  #looking: NodeJS.Timeout | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.hello = new Promise((resolve, reject) => {
      readFrames(socket, ({ letter, said }) => {
        if (letter === 'h') {
          this.#watch(said.pid);
          resolve(said);
          return;
        }
        this.onReleased(said.released);
        if (letter === 'r') return;
        this.#asked++;
        this.onAsked();
        this.#changes.emit('asked');
      });
      this.gone.addEventListener('abort', () => reject(gone()), { once: true });
    });
    this.hello.catch(() => undefined);
    for (const event of ['end', 'close', 'error']) socket.on(event, () => this.#leave());
  }

  static async to(path: string): Promise<ConsumerLink> {
    const socket = createConnection(path);
    try {
      await once(socket, 'connect');
    } catch (cause) {
      // Whoever made it is gone and cannot remove it.
      if ((cause as NodeJS.ErrnoException).code === 'ECONNREFUSED') removeSocket(path);
      throw new VenturiError('VENTURI_USAGE', `nobody waits for batches at ${path}: ${(cause as Error).message}`, {
        remedy: 'this verb is started by venturi.batches() of Python; to run a pipeline: venturi run',
        cause,
      });
    }
    return new ConsumerLink(socket);
  }

  /** Aborted when the consumer is gone, or wants no more. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** It asked for more batches than it got. */
  get waits(): boolean {
    return this.#asked > this.#sent;
  }

  /** Resolves when another batch may be sent. */
  async wanted(): Promise<void> {
    while (this.#sent >= this.#asked + AHEAD && !this.gone.aborted) await once(this.#changes, 'asked');
  }

  async sendBatch(message: string, bytes?: Uint8Array): Promise<void> {
    this.#sent++;
    await this.send('b', message, bytes);
  }

  async send(letter: Letter, message: string, bytes?: Uint8Array): Promise<void> {
    if (this.gone.aborted) return;
    const isTaken = this.#socket.write(frame(letter, message));
    const areTaken = bytes === undefined || this.#socket.write(bytes);
    if (isTaken && areTaken) return;
    await once(this.#socket, 'drain', { signal: this.gone }).catch(() => undefined);
  }

  /** Says the last word. */
  async close(letter: Letter, message: string): Promise<void> {
    clearInterval(this.#looking);
    if (this.gone.aborted) return;
    await new Promise<void>(resolve => {
      this.gone.addEventListener('abort', () => resolve(), { once: true });
      this.#socket.end(frame(letter, message), () => resolve());
    });
  }

  #watch(pid: number): void {
    this.#looking = setInterval(() => {
      if (!isAlive(pid)) this.#leave();
    }, LOOK_MS).unref();
  }

  #leave(): void {
    clearInterval(this.#looking);
    this.#gone.abort();
    this.#socket.destroy();
    this.#changes.emit('asked');
  }
}

const gone = (): VenturiError =>
  new VenturiError('VENTURI_INTERRUPTED', 'the consumer left before it said what it wants', {
    remedy: 'look at what the Python program said last',
  });

/** And the folder that was made for it, if nothing else is in there. */
function removeSocket(path: string): void {
  try {
    unlinkSync(path);
    rmdirSync(dirname(path));
  } catch {
    // Somebody else was faster, or it is somebody else's folder.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
