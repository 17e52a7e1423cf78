/** Typed arrays whose memory can be part of a batch, by name. */
export interface NumberArrays {
  readonly Int8Array: Int8Array;
  readonly Uint8Array: Uint8Array;
  readonly Uint8ClampedArray: Uint8ClampedArray;
  readonly Int16Array: Int16Array;
  readonly Uint16Array: Uint16Array;
  readonly Int32Array: Int32Array;
  readonly Uint32Array: Uint32Array;
  readonly Float32Array: Float32Array;
  readonly Float64Array: Float64Array;
  readonly BigInt64Array: BigInt64Array;
  readonly BigUint64Array: BigUint64Array;
}

export type NumberArray = NumberArrays[keyof NumberArrays];

/** The constructor of one of them. */
export interface NumberArrayType<K extends keyof NumberArrays> {
  new (length: number): { readonly [Symbol.toStringTag]: K };
  readonly BYTES_PER_ELEMENT: number;
  readonly name: string;
}

/** Numbers, the last dimension's next to each other. */
export interface Tensor<A extends NumberArray = NumberArray> {
  readonly data: A;
  readonly shape: readonly number[];
}

/** An image, as far as its shape goes. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly data: NumberArray;
}

/** Whether numbers stand beside nothing but their shape: an image with a label is an element that holds numbers. */
type IsAlone<T> = [Exclude<keyof T, keyof Tensor | keyof Pixels>] extends [never] ? true : false;

/** What `stack` makes of elements of type T: tensors with one dimension more, at the places where the elements have numbers; lists of what is none. */
export type Stacked<T> = T extends NumberArray
  ? Tensor<NumberArrays[T[typeof Symbol.toStringTag]]>
  : T extends Tensor | Pixels
    ? IsAlone<T> extends true
      ? Tensor<NumberArrays[T['data'][typeof Symbol.toStringTag]]>
      : StackedMembers<T>
    : T extends number
      ? Tensor<Float64Array>
      : T extends bigint
        ? Tensor<BigInt64Array>
        : T extends string | boolean | null | undefined | Date
          ? T[]
          : T extends object
            ? StackedMembers<T>
            : T[];

type StackedMembers<T> = { [K in keyof T]: Stacked<T[K]> };

/**
 * Memory for numbers that a function returns, `length` of them: where they lie in the batch of a `stack` behind it, else new. What stands in it
 * is anything, so all of it has to be written; it is the function's until it returns, and not to be kept.
 */
export type Out = <K extends keyof NumberArrays>(type: NumberArrayType<K>, length: number) => NumberArrays[K];
