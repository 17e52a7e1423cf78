/** An element as pipelines hand them on, of which `at` makes each a different one. */
type Payload = (at: number) => unknown;

const text = (at: number, length: number): string => String(at).padEnd(length, 'venturi ');

const bytes = (at: number, length: number): Uint8Array => new Uint8Array(length).fill(at);

/** Elements apart in what they are made of: values, text, typed arrays few and many, small and large. */
const PAYLOADS = {
  number: at => at,
  record: at => ({ id: at, weight: at + 0.5, name: text(at, 12) }),
  line: at => text(at, 1000),
  vector: at => ({ id: at, values: new Float32Array(64).fill(at) }),
  vectors: at => ({ id: at, parts: Array.from({ length: 8 }, () => bytes(at, 128)) }),
  tensor: at => ({ id: at, values: bytes(at, 16 * 1024) }),
  image: at => ({ id: at, values: bytes(at, 256 * 1024) }),
} as const satisfies Record<string, Payload>;
export type PayloadName = keyof typeof PAYLOADS;

/** So many of them, none in it twice: what is would be encoded in another way. */
export const payloadsOf = (name: PayloadName, count: number): unknown[] =>
  Array.from({ length: count }, (_, at) => PAYLOADS[name](at));
