import { type Address, addressOf } from './http-address.ts';
import { allocate, HttpBody } from './http-body.ts';
import type { HttpClient } from './http-client.ts';
import { replaced, withoutRanges, wrongRange } from './http-failure.ts';
import type { Answer } from './http-request.ts';

/** A part of an object: fewer bytes than asked for where the object ends. */
export interface Part {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of the whole object. */
  readonly size: number;
}

/** One object, read in parts that must all be of the same version. */
export class HttpObject {
  readonly address: Address;
  readonly #client: HttpClient;
  #size: number | undefined;
  #version: string | undefined;

  constructor(url: string, client: HttpClient) {
    this.address = addressOf(url);
    this.#client = client;
  }

  /**
   * The bytes from `from` up to `to`. What breaks on the way goes on where it broke. A server without ranges can only
   * send all, which is taken where `orWhole` says so.
   */
  async read(from: number, to: number, orWhole = false): Promise<Part> {
    return this.#readInto(new HttpBody(this.address), from, to, orWhole);
  }

  async #readInto(body: HttpBody, from: number, to: number, orWhole = false): Promise<Part> {
    await this.#client.persist(
      this.address,
      async () => this.#receive(await this.#client.get(this.address, from + body.length, to), body, from, to, orWhole),
      () => body.length,
    );
    return { bytes: body.bytes, size: this.#size ?? 0 };
  }

  async #receive(answer: Answer, body: HttpBody, from: number, to: number, orWhole: boolean): Promise<void> {
    const { status, message } = answer;
    if (status === 416) {
      message.resume();
      this.#size = 0;
      return;
    }
    const whole = status === 200;
    if (whole && !orWhole) {
      message.destroy();
      throw withoutRanges(this.address);
    }
    // A server without ranges starts over: what is there already is passed over.
    let passOver = whole ? body.length : 0;
    let at = whole ? 0 : from + body.length;
    const end = whole ? this.#checkWhole(answer) : this.#checkRange(answer, at, to);
    if (end !== undefined) body.expect(end - from);
    for await (const chunk of message as AsyncIterable<Buffer>) {
      at += chunk.length;
      if (end !== undefined && at > end) throw new Error('more bytes came than were announced');
      const passed = Math.min(passOver, chunk.length);
      passOver -= passed;
      body.append(passed === 0 ? chunk : chunk.subarray(passed));
      this.#client.arrived();
    }
    if (end !== undefined && at < end) throw new Error('the connection ended early');
    if (whole) this.#size = at;
  }

  /** All bytes. Objects of more than one part are read when it is their `turn`: they are held whole. */
  async readWhole(turn: Promise<void>): Promise<Uint8Array<ArrayBuffer>> {
    const { partBytes } = this.#client.settings;
    const first = await this.read(0, partBytes, true);
    if (first.bytes.length === first.size) return first.bytes;
    await turn;
    return this.readParts(0, first.size, first.bytes);
  }

  /** The bytes from `from` up to `to` in parts, several under way at once. `known` are the first of them. */
  async readParts(from: number, to: number, known = new Uint8Array()): Promise<Uint8Array<ArrayBuffer>> {
    const whole = allocate(this.address, to - from);
    whole.set(known);
    const parts: Promise<Part>[] = [];
    const { partBytes } = this.#client.settings;
    for (let at = from + known.length; at < to; at += partBytes) {
      const end = Math.min(to, at + partBytes);
      parts.push(this.#readInto(new HttpBody(this.address, whole.subarray(at - from, end - from)), at, end));
    }
    await Promise.all(parts);
    return whole;
  }

  /** Where the answer's bytes end. */
  #checkRange({ message }: Answer, from: number, to: number): number {
    const header = message.headers['content-range'];
    const [, start, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(header ?? '') ?? [];
    const end = Number(last) + 1;
    // Only the object's end may cut a range short, or bytes would be missing without a word.
    if (total === undefined || Number(start) !== from || end !== Math.min(to, Number(total))) {
      message.destroy();
      throw wrongRange(this.address, `bytes ${from}-${to - 1}`, header);
    }
    this.#checkVersion(message, Number(total));
    return end;
  }

  #checkWhole({ message }: Answer): number | undefined {
    const length = message.headers['content-length'];
    const size = length === undefined ? undefined : Number(length);
    this.#checkVersion(message, size);
    return size;
  }

  #checkVersion(message: Answer['message'], size: number | undefined): void {
    const version = message.headers.etag ?? message.headers['last-modified'];
    const other = this.#version !== undefined && version !== undefined && version !== this.#version;
    if (other || (this.#size !== undefined && size !== undefined && size !== this.#size)) {
      message.destroy();
      throw replaced(this.address);
    }
    this.#version ??= version;
    this.#size ??= size;
  }
}
