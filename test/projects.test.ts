import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A project with the package installed, and with the files that the README says to save. */
function project(type: string): string {
  const folder = mkdtempSync(join(tmpdir(), `project-${type}-`));
  folders.push(folder);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/venturi'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type }));
  for (const [, name = '', text = ''] of readme.matchAll(/^```(?:ts|js) (\S+)\n([\s\S]*?)^```$/gm)) {
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe.each(['commonjs', 'module'])('in a project of type %s', type => {
  it("the README's programs run on plain Node, and say nothing but what they print", () => {
    const folder = project(type);
    for (const program of ['main.mjs', 'main.cjs']) {
      const printed = execFileSync(process.execPath, [program], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
      expect(printed).toBe(`${'256\n'.repeat(39)}15\n`);
    }
  });

  it('every entry of the package can be imported and required', () => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { exports: object };
    const entries = Object.keys(exports).filter(entry => !entry.endsWith('.json'));
    const names = JSON.stringify(entries.map(entry => entry.replace('.', 'venturi')));
    const folder = project(type);
    const count = `const count = all => console.log(all.filter(each => Object.keys(each).length > 0).length);\n`;
    writeFileSync(join(folder, 'all.cjs'), `${count}count(${names}.map(name => require(name)));`);
    writeFileSync(join(folder, 'all.mjs'), `${count}count(await Promise.all(${names}.map(name => import(name))));`);
    for (const program of ['all.cjs', 'all.mjs']) {
      const printed = execFileSync(process.execPath, [program], { cwd: folder, encoding: 'utf8' });
      expect(printed).toBe(`${entries.length}\n`);
    }
  });
});
