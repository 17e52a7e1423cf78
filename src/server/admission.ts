import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Secrets and address of one server. */
export interface Door {
  readonly port: number;
  /** In the URL that is printed. */
  readonly token: string;
  /** In the cookie that the token is exchanged for. */
  readonly session: string;
}

export interface Visitor {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

export type Admission =
  /** Exchange the token for a cookie. */
  | { readonly type: 'enter' }
  /** Segments of the path, decoded. */
  | { readonly type: 'serve'; readonly path: readonly string[] }
  | { readonly type: 'refuse'; readonly status: number; readonly reason: string };

/** Longest request target, characters: a tile's address takes a few hundred. */
const LONGEST_TARGET = 4096;
const METHODS = ['GET', 'HEAD'];
const TOKEN_TARGET = '/?token=';

/** Cookies do not tell ports apart: each server's has a name of its own. */
export const cookieName = (port: number): string => `venturi-${port}`;

/**
 * Decides on a request before anything else looks at it. A page of another site can make a browser send requests here: it has another Origin, and by
 * DNS rebinding another Host. Another user of the machine can connect, too: only the token, or the cookie that it was exchanged for, opens.
 */
export function admit({ method = '', url = '', headers }: Visitor, door: Door): Admission {
  const names = [`127.0.0.1:${door.port}`, `localhost:${door.port}`];
  if (!names.includes(headers.host ?? '')) return refuse(421, 'This server answers to its own address alone.');
  if (!METHODS.includes(method)) return refuse(405, 'Only GET and HEAD are answered.');
  if (url.length > LONGEST_TARGET) return refuse(414, 'This address is too long.');
  const { origin } = headers;
  if (origin !== undefined && !names.includes(origin.replace(/^http:\/\//, ''))) {
    return refuse(403, 'Requests of other sites are not answered.');
  }
  if (url.startsWith(TOKEN_TARGET)) {
    return isSame(url.slice(TOKEN_TARGET.length), door.token) ? { type: 'enter' } : refuse(403, NO_TOKEN);
  }
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    return refuse(403, 'Requests of other sites are not answered.');
  }
  const cookie = cookieOf(headers.cookie, cookieName(door.port));
  if (cookie === undefined || !isSame(cookie, door.session)) return refuse(403, NO_TOKEN);
  const path = segmentsOf(url);
  return path === undefined ? refuse(400, 'This is no address of this server.') : { type: 'serve', path };
}

const NO_TOKEN = 'Open the address that venturi printed, with its token.';

const refuse = (status: number, reason: string): Admission => ({ type: 'refuse', status, reason });

/** Undefined for anything but a plain path: no query, no empty segment, none that leads upwards. */
function segmentsOf(url: string): readonly string[] | undefined {
  if (!/^\/[\w%.~!$'()*+,;=:@/-]*$/.test(url)) return undefined;
  if (url === '/') return [];
  try {
    const segments = url.slice(1).split('/').map(decodeURIComponent);
    return segments.some(segment => segment === '' || segment === '.' || segment === '..') ? undefined : segments;
  } catch {
    return undefined;
  }
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map(pair => pair.trim());
  return pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** In a time that says nothing of where two texts differ, nor of their lengths. */
function isSame(a: string, b: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
