import type { Socket } from 'node:net';

/**
 * Frames of the conversation with a consumer in another process, both ways: a letter, the length of a JSON text in four bytes (little
 * endian), and the text. Behind the text of a batch that has no slot come its bytes; the text says how many.
 */
export const HEAD_BYTES = 5;

/** What a consumer says: who it is and where its slots are; which slots it is done with; the same, and that it wants a batch. */
export type Said =
  | { readonly letter: 'h'; readonly said: Hello }
  | { readonly letter: 'r' | 'n'; readonly said: { readonly released: readonly number[] } };

export interface Hello {
  readonly protocol: number;
  /** Process id of the consumer: the run ends once that process is gone. */
  readonly pid: number;
  /** Paths of the slots' files, which it made. */
  readonly slots: readonly string[];
  /** Bytes that may lie in all slots together; null: a part of the memory that is available. */
  readonly budgetBytes: number | null;
}

/** What is said to it: a batch, the end of a pass, the end of all, a failure, a warning, that its slots are open. */
export type Letter = 'b' | 'e' | 'x' | 'f' | 'w' | 'o';

export function frame(letter: Letter, message: string): Buffer {
  const text = Buffer.from(message);
  const whole = Buffer.allocUnsafe(HEAD_BYTES + text.length);
  whole.write(letter, 0, 'latin1');
  whole.writeUInt32LE(text.length, 1);
  text.copy(whole, HEAD_BYTES);
  return whole;
}

/** Reads frames as they come. */
export function readFrames(socket: Socket, receive: (frame: Said) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    rest = rest.length === 0 ? data : Buffer.concat([rest, data]);
    while (rest.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + rest.readUInt32LE(1);
      if (rest.length < end) return;
      const letter = rest.toString('latin1', 0, 1);
      const said: unknown = JSON.parse(rest.toString('utf8', HEAD_BYTES, end));
      rest = rest.subarray(end);
      receive({ letter, said } as Said);
    }
  });
}
