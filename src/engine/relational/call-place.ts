import { basename } from 'node:path';

/** The last part of a frame: file, line and column. */
const PLACE = /\(?([^()]*):(\d+):\d+\)?$/;

/** Where the author has called a method of ours. V8 notes the frames at once and makes a text of them when somebody asks, which only a profile does. */
export class CallPlace {
  /** Made by V8. */
  declare readonly stack: string;

  constructor(called: (...parameters: never[]) => unknown) {
    Error.captureStackTrace(this, called);
  }

  /** File, without its folders, and line: `orders.ts:12`. */
  get text(): string | undefined {
    const frame = this.stack.split('\n').find(line => line.trimStart().startsWith('at '));
    const [, file, line] = PLACE.exec(frame ?? '') ?? [];
    return file === undefined ? undefined : `${basename(file)}:${line}`;
  }
}
