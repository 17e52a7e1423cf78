import { describe, expect, it } from 'vitest';
import { defineCodec } from './api/codec.ts';
import { differenceOf } from './fixtures/sameness.fixture.ts';
import { ChunkDecoder, ChunkEncoder, readState, writeState } from './runtime/chunk/index.ts';

class Point {
  readonly x: number;
  readonly y: number;
  constructor(x: number, y: number) {
    this.x = x;
    this.y = y;
  }
  get length(): number {
    return Math.hypot(this.x, this.y);
  }
}
defineCodec({
  name: 'test.Point',
  class: Point,
  encode: ({ x, y }): [number, number] => [x, y],
  decode: ([x, y]) => new Point(x, y),
});

class Line {
  readonly ends: readonly Point[];
  constructor(ends: readonly Point[]) {
    this.ends = ends;
  }
}
defineCodec({
  name: 'test.Line',
  class: Line,
  encode: line => line.ends,
  decode: ends => new Line(ends),
});

class Point3 extends Point {}

class Pixels extends Uint8Array {}
defineCodec({
  name: 'test.Pixels',
  class: Pixels,
  encode: pixels => new Uint8Array(pixels),
  decode: bytes => new Pixels(bytes),
});

const sent = (values: readonly unknown[]): unknown[] =>
  new ChunkDecoder().decode(new ChunkEncoder().encode(values, 0, values.length).slice()).values;

describe('a codec', () => {
  it('lets instances of a class travel, alone and within others', () => {
    const point = new Point(3, 4);
    const values = [point, { id: 1, at: point }, [new Line([point, point])], new Map([['pixels', new Pixels([1, 2])]])];
    for (const [at, copy] of sent(values).entries()) expect(differenceOf(copy, values[at])).toBe(undefined);
    expect((sent([point])[0] as Point).length).toBe(5);
  });

  it('is used for what operators keep, too', () => {
    const state = { held: [new Point(1, 2), { at: new Point(3, 4) }], count: 2 };
    expect(differenceOf(readState(writeState(state)), state)).toBe(undefined);
  });

  it('is not that of a class derived from its own', () => {
    expect(() => sent([new Point3(1, 2)])).toThrow('it is of class Point3.');
  });

  it('cannot be one of two by the same name, or for the same class', () => {
    class Other {}
    const codec = { class: Other, encode: () => 0, decode: () => new Other() };
    expect(() => defineCodec({ ...codec, name: 'test.Point' })).toThrow("two codecs are called 'test.Point'");
    const again = { encode: () => 0, decode: () => new Point(0, 0) };
    expect(() => defineCodec({ ...again, class: Point, name: 'test.Spot' })).toThrow("a codec already, 'test.Point'");
  });

  it('may be defined again by a module that is imported again: instances of the older class are refused, not changed', () => {
    const define = () => {
      class Twice {}
      defineCodec({ name: 'test.Twice', class: Twice, encode: () => 0, decode: () => new Twice() });
      return Twice;
    };
    const [First, Second] = [define(), define()];
    expect(sent([new Second()])[0]).toBeInstanceOf(Second);
    expect(() => sent([new First()])).toThrow("whose codec 'test.Twice' was defined again since");
  });

  it('that throws, or makes something else, is named', () => {
    class Sealed {}
    defineCodec({
      name: 'test.Sealed',
      class: Sealed,
      encode: () => {
        throw new RangeError('not today');
      },
      decode: () => new Sealed(),
    });
    expect(() => sent([{ a: new Sealed() }])).toThrow(
      "its .a is of class Sealed, whose codec 'test.Sealed' threw RangeError: not today",
    );
    class Ghost {}
    defineCodec({ name: 'test.Ghost', class: Ghost, encode: () => 0, decode: () => ({}) });
    expect(() => sent([new Ghost()])).toThrow(
      "the codec 'test.Ghost' did not decode an element to an instance of its class",
    );
  });

  it('refuses an instance that leads back to itself', () => {
    class Node {
      next: unknown;
    }
    defineCodec({
      name: 'test.Node',
      class: Node,
      encode: ({ next }) => ({ next }),
      decode: ({ next }) => Object.assign(new Node(), { next }),
    });
    const node = new Node();
    node.next = [node];
    expect(() => sent([node])).toThrow('within itself by way of the codec of Node');
    const outer = { node };
    node.next = outer;
    expect(() => sent([outer])).toThrow('within itself by way of the codec of Node');
  });

  it('needs all its parts', () => {
    const codec = { name: 'test.Parts', class: Point, encode: () => 0, decode: () => new Point(0, 0) };
    for (const part of ['name', 'class', 'encode', 'decode']) {
      expect(() => defineCodec({ ...codec, [part]: undefined })).toThrow(
        expect.objectContaining({ code: 'VENTURI_BAD_OPTION' }),
      );
    }
  });
});
