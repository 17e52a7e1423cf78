import { Deserializer, Serializer } from 'node:v8';
import { bytesOf, copyOut, isGone, viewCodeOf, viewOf } from './view.ts';

/** What Node's Serializer has but its types leave out. */
interface HostObjects {
  _setTreatArrayBufferViewsAsHostObjects(on: boolean): void;
}

/**
 * V8's structured clone as bytes. It also carries strings: one native call for a column of them is faster than a call per string,
 * keeps each string in its own width (one or two bytes a character) and survives lone surrogates.
 */
export class ClonedWriter extends Serializer {
  constructor() {
    super();
    // Left to itself V8 would write the whole memory behind a view, which for a small Buffer is Node's shared pool.
    (this as unknown as HostObjects)._setTreatArrayBufferViewsAsHostObjects(true);
    this.writeHeader();
  }

  /** Called by V8 for each typed array and for whatever it cannot write itself. */
  _writeHostObject(value: object): void {
    const code = viewCodeOf(value);
    if (code < 0 || !ArrayBuffer.isView(value))
      throw new Error(`${Object.prototype.toString.call(value)} has no bytes.`);
    if (isGone(value)) throw new TypeError('Its memory is gone.');
    const bytes = bytesOf(value);
    this.writeUint32(code);
    this.writeUint32(bytes.byteLength);
    this.writeRawBytes(bytes);
  }
}

export class ClonedReader extends Deserializer {
  readonly #borrow: boolean;

  constructor(bytes: Uint8Array, borrow: boolean) {
    super(bytes);
    this.#borrow = borrow;
    this.readHeader();
  }

  _readHostObject(): object {
    const code = this.readUint32();
    const length = this.readUint32();
    const raw = this.readRawBytes(length);
    // Not the Buffer itself, whose slice() would be a view.
    const bytes = new Uint8Array(raw.buffer, raw.byteOffset, length);
    return this.#borrow ? viewOf(code, bytes, 0, length) : copyOut(code, bytes, 0, length);
  }
}
