import { describe, expect, it } from 'vitest';
import { VenturiError } from '../../../model/errors.ts';
import { arraysIn, sizeOf } from '../../contract/element-size.ts';
import { ChunkDecoder, ChunkEncoder } from './index.ts';

function refusal(values: readonly unknown[], from = 0): VenturiError {
  try {
    new ChunkEncoder().encode(values, from, values.length);
  } catch (error) {
    if (error instanceof VenturiError) return error;
    throw error;
  }
  throw new Error('It was accepted.');
}

describe('a value that cannot be cloned', () => {
  it('is named by its position in the chunk and its type', () => {
    const error = refusal([1, 2, () => 3]);
    expect(error.code).toBe('VENTURI_NOT_CLONEABLE');
    expect(error.message).toBe('Element 2 of a chunk cannot be sent to another thread: it is of type function.');
    expect(refusal([0, 1, Symbol('s')], 1).message).toMatch(/Element 1 .* it is of type symbol/);
  });

  it('is found inside an element', () => {
    expect(refusal([{ a: 1 }, { a: [1, { b: () => 1 }] }]).message).toMatch(
      /Element 1 .* its \.a\[1\]\.b is of type function/,
    );
    expect(refusal([new Map([['k', new WeakMap()]])]).message).toMatch(/its \.get\("k"\) is of class WeakMap/);
  });

  it('may be memory that is no longer there', () => {
    const gone = <T extends ArrayBufferView>(view: T): T => {
      structuredClone(view.buffer, { transfer: [view.buffer as ArrayBuffer] });
      return view;
    };
    const { buffer } = gone(new Uint8Array(100));
    const views = [new Float32Array(100), new BigInt64Array(2), new DataView(new ArrayBuffer(8))].map(gone);
    for (const value of [...views, gone(Buffer.from(new ArrayBuffer(9))), buffer]) {
      const said = new RegExp(`of class ${value.constructor.name}, and its memory was transferred`);
      for (const [at, element] of [value, [value], { a: value }, new Map([[1, value]])].entries()) {
        const error = refusal([1, new Float32Array(0), element]);
        expect([at, error.message]).toEqual([at, expect.stringMatching(said)]);
        expect(error.message).toMatch(/^Element 2 /);
        expect(error.remedy).toMatch(/transfer a copy/);
      }
      expect(refusal([value, value]).message).toMatch(said);
    }
    expect([sizeOf(views[2]), arraysIn(views[2])]).toEqual([8, 0]);
  });

  it('comes with the remedy for a promise', () => {
    const error = refusal([Promise.resolve(1), Promise.resolve(2)]);
    expect(error.message).toMatch(/Element 0 .* it is of class Promise/);
    expect(error.remedy).toMatch(/^Declare the function async so that the engine awaits it/);
    expect(refusal([() => 1]).remedy).not.toMatch(/async/);
  });

  it('is found beside an object that refers to itself', () => {
    const loop: { self?: unknown; call?: unknown } = {};
    loop.self = loop;
    loop.call = () => 1;
    expect(refusal([loop]).message).toMatch(/its \.call is of type function/);
  });

  it('may be one nested beyond all bounds', () => {
    let chain: unknown;
    for (let i = 0; i < 200_000; i++) chain = { next: chain };
    expect(refusal([1, chain]).message).toMatch(/Element 1 .* nested too deeply/);
  });

  it('leaves the encoder usable', () => {
    const encoder = new ChunkEncoder();
    expect(() => encoder.encode(['text', () => 1], 0, 2)).toThrow(VenturiError);
    expect(new ChunkDecoder().decode(encoder.encode(['text'], 0, 1)).values).toEqual(['text']);
  });
});
