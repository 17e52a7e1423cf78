import crypto, { randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { ambient, callSites } from './ambient.ts';

let unwatch: () => void = () => undefined;
afterEach(() => unwatch());

describe('the runtime while its draws are counted', () => {
  it('gives what its own functions give', () => {
    const original = Math.random;
    const values = [0.25, 0.5, 0.75];
    Math.random = () => values.shift() ?? Number.NaN;
    try {
      unwatch = ambient.watch();
      expect([Math.random(), Math.random(), Math.random()]).toEqual([0.25, 0.5, 0.75]);
      unwatch();
    } finally {
      Math.random = original;
    }
  });

  it('has functions of the same name, length and properties', async () => {
    const before = [Math.random, crypto.randomBytes, crypto.generateKeyPair, globalThis.crypto.getRandomValues];
    const described = before.map(({ name, length }) => ({ name, length }));
    unwatch = ambient.watch();
    const now = [Math.random, crypto.randomBytes, crypto.generateKeyPair, globalThis.crypto.getRandomValues];
    expect(now.map(({ name, length }) => ({ name, length }))).toEqual(described);
    expect(now.some((each, at) => each === before[at])).toBe(false);
    expect(await promisify(crypto.generateKeyPair)('ed25519')).toHaveProperty('publicKey');
    expect((await promisify(crypto.randomBytes)(3)).length).toBe(3);
  });

  it('throws what its own functions throw', () => {
    unwatch = ambient.watch();
    expect(() => crypto.randomBytes(-1)).toThrow(RangeError);
    expect(() => globalThis.crypto.getRandomValues.call({} as typeof globalThis.crypto, new Uint8Array(1))).toThrow(
      TypeError,
    );
  });

  it('counts a call once, by whatever name it is known', () => {
    unwatch = ambient.watch();
    ambient.take();
    Math.random();
    randomInt(3);
    crypto.randomBytes(16);
    crypto.getRandomValues(new Uint8Array(3));
    globalThis.crypto.randomUUID();
    expect(ambient.take()).toBe(5);
  });

  it('is itself again afterwards, and only after the last who watched', () => {
    const before = [Math.random, crypto.randomInt, globalThis.crypto.getRandomValues];
    const now = (): unknown[] => [Math.random, crypto.randomInt, globalThis.crypto.getRandomValues];
    const first = ambient.watch();
    const second = ambient.watch();
    first();
    first();
    expect(now()).not.toEqual(before);
    second();
    expect(now()).toEqual(before);
  });

  it('keeps what someone else put in its place meanwhile', () => {
    const original = Math.random;
    const seeded = (): number => 0.5;
    unwatch = ambient.watch();
    Math.random = seeded;
    try {
      unwatch();
      expect(Math.random).toBe(seeded);
    } finally {
      Math.random = original;
    }
  });
});

describe('call sites', () => {
  it('reach as deep as the stack, and leave the settings of traces alone', () => {
    const settings = [Error.stackTraceLimit, Error.prepareStackTrace];
    const deep = (depth: number): number => (depth === 0 ? callSites().length : deep(depth - 1));
    expect(deep(100)).toBeGreaterThan(100);
    expect([Error.stackTraceLimit, Error.prepareStackTrace]).toEqual(settings);
  });
});
