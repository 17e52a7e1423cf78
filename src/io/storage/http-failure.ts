import { VenturiError } from '../../model/errors.ts';
import { parseRetryAfter } from './backoff.ts';
import type { Address } from './http-address.ts';
import type { Answer } from './http-request.ts';

/** Without a cause: what the network reports may quote the whole address, and with it a signature. */
const unreadableObject = (address: Address, reason: string, remedy: string): VenturiError =>
  new VenturiError('VENTURI_SOURCE_UNREADABLE', `cannot read ${address.shown}: ${reason}`, { remedy });

/** The server asks to be left alone for now. */
export class BusyError extends Error {
  readonly retryAfterMs: number | undefined;

  constructor({ status, message }: Answer) {
    super(`the server answered ${status}`);
    this.retryAfterMs = parseRetryAfter(message.headers['retry-after'], Date.now());
  }
}

export const isBusy = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Errors of the network name hosts and ports: only their code is told, where they have one. */
export const gaveUp = (address: Address, error: unknown, times: number): VenturiError => {
  const { code, message } = error as NodeJS.ErrnoException;
  const often = times === 1 ? '' : `, ${times} times in a row`;
  return unreadableObject(
    address,
    `${code ?? message}${often}`,
    'check the connection and the server, or allow more with retries, timeoutMs and minBytesPerSecond',
  );
};

/** S3 and its like say in the body what is wrong. Its code is told and nothing else: the rest repeats the request. */
export async function refused(address: Address, { status, message }: Answer): Promise<VenturiError> {
  let text = '';
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      text += chunk.toString('utf8');
      if (text.length > 4096) break;
    }
  } catch {
    // The status says enough.
  }
  const [, code] = /<Code>([A-Za-z]{1,64})<\/Code>/.exec(text) ?? [];
  return unreadableObject(
    address,
    `the server answered ${status}${code === undefined ? '' : ` ${code}`}`,
    remedyFor(status),
  );
}

function remedyFor(status: number): string {
  if (status === 401 || status === 403) return 'check that the credentials are set, may read it, and have not run out';
  if (status === 404 || status === 410) return 'check the address: there is no such object';
  if (status < 400) return 'check the address and, for s3, AWS_REGION and AWS_ENDPOINT_URL: the object lies elsewhere';
  return 'check the address';
}

export const withoutRanges = (address: Address): VenturiError =>
  unreadableObject(
    address,
    'its server sends whole objects only, not parts of them',
    'read it with objects(), or download it first',
  );

export const wrongRange = (address: Address, asked: string, header: string | undefined): VenturiError =>
  unreadableObject(
    address,
    `the server was asked for ${asked} and answered with ${header === undefined ? 'no Content-Range' : `'${header}'`}`,
    'a proxy or the server is at fault: try another way to it, or download the object first',
  );

export const replaced = (address: Address): VenturiError =>
  unreadableObject(
    address,
    'it was replaced by another version while it was being read',
    'start the run again once nobody writes the object, or read a copy of it',
  );

export const tookTooLong = (address: Address, ms: number): VenturiError =>
  unreadableObject(
    address,
    `it had not come whole after ${ms / 1000} s`,
    'check the connection and the server, or allow more with totalTimeoutMs',
  );

/** `bytes` left out: the server does not say how many there are. `most` left out: not even one array can hold them. */
export function tooLarge(address: Address, bytes: number | undefined, most?: number): VenturiError {
  const what = bytes === undefined ? `the bytes of ${address.shown}` : `the ${bytes} bytes of ${address.shown}`;
  const limit = most === undefined ? '' : `: an object may have ${most}`;
  const unsized = bytes === undefined ? ' where its server does not say how many there are' : '';
  return new VenturiError('VENTURI_BUDGET_TOO_SMALL', `${what} do not fit into memory${limit}${unsized}`, {
    remedy:
      'allow more memory (--memory), or larger objects with maxObjectBytes; or read it piece by piece: give httpStorage() to the source of its format',
  });
}
