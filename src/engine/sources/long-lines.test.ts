import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { ByteWindow } from '../../io/input/byte-window.ts';
import { FileReader } from '../../io/input/file-reader.ts';
import { dividedSource } from '../compile/node.ts';
import { elementsOf } from './elements.fixture.ts';
import { jsonl, lines } from './lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'venturi-long-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

/** 32 times what is read at once. */
const LONG = 8 * 2 ** 20;

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('a line much longer than what is read at once', () => {
  it.each([
    ['lines', lines, 'x'.repeat(LONG), 'x'.repeat(LONG)],
    ['jsonl', jsonl, JSON.stringify(['x'.repeat(LONG)]), ['x'.repeat(LONG)]],
  ])('is put together once: %s', (name, source, line, element) => {
    const path = write(name, `${line}\n[1]\n`);
    let copied = 0;
    const concat = Buffer.concat;
    vi.spyOn(Buffer, 'concat').mockImplementation((list, length) => {
      const whole = concat(list, length);
      copied += whole.length;
      return whole;
    });
    expect(elementsOf<unknown>(source(path))).toEqual([element, name === 'lines' ? '[1]' : [1]]);
    expect(copied).toBeLessThan(2 * LONG);
  });

  it('is read by one part, and not looked for by all of them', () => {
    const path = write('parts', `${'x'.repeat(LONG)}\nlast\n`);
    let read = 0;
    const next = FileReader.prototype.next;
    vi.spyOn(FileReader.prototype, 'next').mockImplementation(function (this: FileReader, most) {
      const piece = next.call(this, most);
      read += piece.length;
      return piece;
    });
    const source = dividedSource(lines(path).node);
    const elements = [...(source?.parts() ?? [])].flatMap(part => {
      const into: unknown[] = [];
      const reader = source?.read(part);
      while ((reader?.read(into, 100) ?? 0) > 0);
      reader?.close();
      return into;
    });
    expect(elements).toEqual(['x'.repeat(LONG), 'last']);
    expect(read).toBeLessThan(4 * LONG);
  });

  it('is looked at again only when there is much more of it', () => {
    const TOTAL = 2 ** 20;
    let given = 0;
    const trickle = {
      path: 'trickle',
      remaining: undefined,
      readInto(target: Uint8Array, at: number, length: number): number {
        const count = Math.min(1000, length, TOTAL - given);
        target.fill(120, at, at + count);
        given += count;
        return count;
      },
    };
    const window = new ByteWindow(trickle);
    let looks = 0;
    while (window.more()) looks++;
    expect(window.end - window.at).toBe(TOTAL);
    expect(looks).toBeLessThan(20);
  });
});
