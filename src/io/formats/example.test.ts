import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VenturiError } from '../../model/errors.ts';
import { decodeExample, decodeSequenceExample, type Feature } from './example.ts';

const golden = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../engine/sources/golden/${name}`, import.meta.url)));

interface Described {
  readonly bytes?: string[];
  readonly floats?: number[];
  readonly ints?: string[];
}

const expected = JSON.parse(golden('examples.json').toString()) as {
  examples: Record<string, Described>[];
  sequence: string;
  loose: { FloatList: string; Int64List: string };
};

function records(): Uint8Array[] {
  const bytes = golden('examples.tfrecord');
  const payloads: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = Number(bytes.readBigUInt64LE(at));
    payloads.push(bytes.subarray(at + 12, at + 12 + length));
    at += length + 16;
  }
  return payloads;
}

function described(feature: Feature): Described {
  if (feature instanceof Float32Array) return { floats: [...feature] };
  const bytes = feature.filter(value => value instanceof Uint8Array);
  if (bytes.length > 0) return { bytes: bytes.map(value => Buffer.from(value).toString('base64')) };
  return { ints: feature.map(String) };
}

/** Protobuf's wire format, as far as these messages need it. */
const varint = (value: bigint): number[] => {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, value);
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  return [...bytes, Number(left)];
};
const nested = (number: number, ...parts: (readonly number[] | Uint8Array)[]): number[] => {
  const body = parts.flatMap(part => [...part]);
  return [number * 8 + 2, ...varint(BigInt(body.length)), ...body];
};
const featureOf = (...lists: number[][]): Feature | undefined => {
  const entry = nested(1, nested(1, Buffer.from('f')), nested(2, ...lists));
  return decodeExample(Uint8Array.from(nested(1, entry))).f;
};

describe('decodeExample', () => {
  it("gives the features Google's protobuf wrote", () => {
    const given = records().map(bytes => decodeExample(bytes));
    const asDescribed = given.map(example =>
      Object.fromEntries(Object.entries(example).map(([name, feature]) => [name, described(feature)])),
    );
    expect(asDescribed).toEqual(expected.examples);
  });

  it('gives whole numbers as numbers, and as bigints where one is too large', () => {
    const [, small, large] = records().map(bytes => decodeExample(bytes));
    expect(small?.tokens).toContain(Number.MIN_SAFE_INTEGER);
    expect(large?.ids).toEqual([2n ** 53n, -(2n ** 63n), 2n ** 63n - 1n, 5n]);
  });

  it('gives any 64-bit numbers as they are', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { minLength: 1 }), values => {
        const packed = featureOf(nested(3, nested(1, values.flatMap(varint))));
        const single = featureOf(nested(3, ...values.map(value => [8, ...varint(value)])));
        expect(described(packed ?? [])).toEqual({ ints: values.map(String) });
        expect(single).toEqual(packed);
      }),
    );
  });

  it('takes numbers written one by one', () => {
    const { FloatList, Int64List } = expected.loose;
    expect(featureOf(nested(2, Buffer.from(FloatList, 'base64')))).toEqual(Float32Array.of(0.5, -2.25));
    expect(featureOf(nested(3, Buffer.from(Int64List, 'base64')))).toEqual([1, -1, 300]);
  });

  it('takes numbers written both ways at once, in their order', () => {
    const float = (value: number) => new Uint8Array(Float32Array.of(value).buffer);
    const mixed = nested(2, [13, ...float(1)], nested(1, float(2), float(3)), [13, ...float(4)]);
    expect(featureOf(mixed)).toEqual(Float32Array.of(1, 2, 3, 4));
  });

  it('passes over fields it does not know', () => {
    const unknown = [...[0x78, 5], ...[0x79, 1, 2, 3, 4, 5, 6, 7, 8], ...[0x7d, 1, 2, 3, 4], ...nested(15, [9, 9])];
    expect(featureOf(unknown, nested(3, unknown, nested(1, [7])))).toEqual([7]);
    expect(decodeExample(Uint8Array.from(unknown))).toEqual({});
  });

  it('shares the memory it was given', () => {
    const bytes = Uint8Array.from(
      nested(1, nested(1, nested(1, Buffer.from('f')), nested(2, nested(1, nested(1, [1, 2]))))),
    );
    const [value] = decodeExample<{ f: Uint8Array[] }>(bytes).f;
    expect(value?.buffer).toBe(bytes.buffer);
    expect([...(value ?? [])]).toEqual([1, 2]);
  });

  it('makes a plain key of any name', () => {
    const entry = nested(1, nested(1, Buffer.from('__proto__')), nested(2, nested(3, nested(1, [7]))));
    expect(Object.entries(decodeExample(Uint8Array.from(nested(1, entry))))).toEqual([['__proto__', [7]]]);
  });

  it('fails in the expected way for anything that is not an example', () => {
    const whole = records()[3] ?? new Uint8Array();
    const attempt = (bytes: Uint8Array): void => {
      try {
        decodeExample(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(VenturiError);
        expect((error as VenturiError).code).toBe('VENTURI_BAD_RECORD');
      }
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), attempt));
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, value) => {
        const damaged = Uint8Array.from(whole);
        damaged[at] = value;
        attempt(damaged);
      }),
    );
    for (let length = 1; length < whole.length; length++) {
      expect(() => decodeExample(whole.subarray(0, length)), `${length} bytes`).toThrow(
        /bytes are not a tf.train.Example: see byte/,
      );
    }
  });
});

describe('decodeSequenceExample', () => {
  it("gives the context and the steps Google's protobuf wrote", () => {
    expect(decodeSequenceExample(Buffer.from(expected.sequence, 'base64'))).toEqual({
      context: { user: [42] },
      featureLists: {
        clicks: [[1, 2], [3], []],
        dwell: [Float32Array.of(0.5), Float32Array.of(1.5, 2.5)],
      },
    });
    expect(() => decodeSequenceExample(Uint8Array.of(10, 200))).toThrow(/are not a tf.train.SequenceExample/);
  });
});
