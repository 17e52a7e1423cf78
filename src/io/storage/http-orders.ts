import type { MessagePort } from 'node:worker_threads';
import type { PortableError } from '../../errors/portable-error.ts';
import type { HttpSettings } from './http-settings.ts';

/** What the thread is given when it starts. */
export interface ThreadData {
  readonly settings: HttpSettings;
  readonly port: MessagePort;
  /** Two numbers: answers sent, to wake who waits for them; and the seconds the thread has lived. */
  readonly signs: SharedArrayBuffer;
}

export const ANSWERS = 0;
export const LIFE = 1;
export const HEARTBEAT_MS = 1_000;

/** Bytes of an open file, all bytes of an object, or the end of an open file. */
export type Order =
  | {
      readonly kind: 'range';
      readonly number: number;
      readonly url: string;
      readonly file: number;
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: 'whole'; readonly number: number; readonly url: string }
  | { readonly kind: 'close'; readonly file: number };

export type Reply =
  | { readonly number: number; readonly bytes: Uint8Array<ArrayBuffer>; readonly size: number }
  | { readonly number: number; readonly error: PortableError };
