import { expectTypeOf, it } from 'vitest';
import type { Stacked, Tensor } from './tensor.ts';

it('has a type for what is stacked: numbers with a shape alone are a tensor, others members of an element', () => {
  interface Pixels {
    readonly width: number;
    readonly height: number;
    readonly channels: number;
    readonly data: Uint8Array;
  }
  expectTypeOf<Stacked<Float32Array>>().toEqualTypeOf<Tensor<Float32Array>>();
  expectTypeOf<Stacked<Tensor<Int16Array>>>().toEqualTypeOf<Tensor<Int16Array>>();
  expectTypeOf<Stacked<Pixels>>().toEqualTypeOf<Tensor<Uint8Array>>();
  expectTypeOf<Stacked<{ image: Pixels; name: string }>>().toEqualTypeOf<{
    image: Tensor<Uint8Array>;
    name: string[];
  }>();
  expectTypeOf<Stacked<Tensor<Float32Array> & { label: number }>['label']>().toEqualTypeOf<Tensor<Float64Array>>();
  expectTypeOf<Stacked<Pixels & { label: string }>['label']>().toEqualTypeOf<string[]>();
});
