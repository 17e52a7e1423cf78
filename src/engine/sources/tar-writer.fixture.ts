/** What Python's tarfile will not write: archives of other programs, and damaged ones. */
interface EntryOptions {
  readonly type?: string;
  /** What the header says, where it is not the truth. */
  readonly size?: number;
  readonly binarySize?: boolean;
  readonly magic?: string;
  readonly prefix?: string;
}

export function entry(name: string, text: string, options: EntryOptions = {}): Buffer {
  const data = Buffer.from(text);
  const size = options.size ?? data.length;
  const block = Buffer.alloc(512 + Math.ceil(data.length / 512) * 512);
  block.write(name, 0, 'utf8');
  block.write('0000644\0', 100);
  if (options.binarySize === true) {
    block[124] = 0x80;
    block.writeUIntBE(size, 130, 6);
  } else {
    block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  }
  block.write(options.type ?? '0', 156);
  block.write(options.magic ?? '', 257);
  block.write(options.prefix ?? '', 345);
  block.write('        ', 148);
  const sum = block.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  block.set(data, 512);
  return block;
}

export const archive = (...entries: readonly Buffer[]): Buffer => Buffer.concat([...entries, Buffer.alloc(1024)]);
