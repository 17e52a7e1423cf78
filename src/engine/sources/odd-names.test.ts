import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import oddNames from '../fixtures/odd-names.fixture.ts';
import { identityOf } from '../runtime/cache/cache-key.ts';
import { elementsOf, openSource } from './elements.fixture.ts';
import { files, readFile, readFileAsync } from './files.ts';
import { glob } from './glob.ts';
import { lines } from './lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'odd-names-'));
afterAll(() => rmSync(folder, { recursive: true }));

const bytes = (name: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);

/** Some file systems want names to be UTF-8. */
function isMade(): boolean {
  try {
    writeFileSync(bytes('caf\xe9.txt'), 'latin1\n');
    return true;
  } catch {
    return false;
  }
}

describe.runIf(isMade())('names that are no UTF-8', () => {
  mkdirSync(bytes('d\xff'));
  writeFileSync(bytes('d\xff/x.txt'), 'inner\n');
  writeFileSync(join(folder, 'grüße.txt'), 'utf8\n');
  writeFileSync(join(folder, 'real \ufffd.txt'), 'replacement\n');
  symlinkSync(bytes('caf\xe9.txt'), bytes('link\xfe.txt'));
  const found = ['caf\udce9.txt', 'd\udcff/x.txt', 'grüße.txt', 'link\udcfe.txt', 'real \ufffd.txt'];

  it('are found, and their files can be read', async () => {
    for (const source of [files(folder), glob(`${folder}/**/*.txt`), glob('**/*.txt', { cwd: folder })]) {
      const entries = elementsOf(source);
      expect(entries.map(({ path }) => path.slice(folder.length + 1))).toEqual(found);
      const texts = ['latin1\n', 'inner\n', 'utf8\n', 'latin1\n', 'replacement\n'];
      expect(entries.map(entry => Buffer.from(readFile(entry)).toString())).toEqual(texts);
      expect(await Promise.all(entries.map(async entry => String(Buffer.from(await readFileAsync(entry)))))).toEqual(
        texts,
      );
      expect(elementsOf(lines(entries.map(({ path }) => path))).join('\n')).toBe(texts.join('').trimEnd());
      expect(entries.map(({ size }) => size)).toEqual(texts.map(text => Buffer.byteLength(text)));
    }
    expect(elementsOf(files(`${folder}/d\udcff`))).toHaveLength(1);
  });

  it('stand in checkpoints and keys of caches, each as itself', () => {
    const source = lines([`${folder}/caf\udce9.txt`, `${folder}/grüße.txt`]);
    const reader = openSource(source);
    void reader.read([], 1);
    expect(JSON.parse(JSON.stringify(reader.position?.()))).toEqual(reader.position?.());
    void reader.close();
    const keys = found.map(name => identityOf(join(folder, name)));
    expect(new Set(keys).size).toBe(found.length);
    expect(keys.every(key => Buffer.from(key).toString() === key)).toBe(true);
  });

  it('travel between threads', async () => {
    const elements: { path: string; text: string }[] = [];
    for await (const element of oddNames.run({ params: { folder } })) elements.push(element);
    expect(elements.map(({ path }) => path.slice(folder.length + 1))).toEqual(found);
    expect(elements[0]?.text).toBe('latin1\n');
  });
});
