import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFINITIONS } from './registry.ts';

const folder = new URL('.', import.meta.url);

test('every finding has a file of its own that bears its name, and a line in the registry', () => {
  const defined = readdirSync(folder)
    .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter(name => /^export const \w+: Definition</m.test(readFileSync(new URL(name, folder), 'utf8')))
    .map(name => name.replace('.ts', ''));
  expect(Object.keys(DEFINITIONS).sort()).toEqual(defined.sort());
});

test('every finding on pipelines stands in the guide', () => {
  const guide = readFileSync(new URL('../../docs/diagnose.md', folder), 'utf8');
  const said = [...guide.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, kind]) => kind);
  const kinds = Object.entries(DEFINITIONS).filter(([kind, each]) => each.inPipeline ?? kind === 'unclear');
  expect(said.sort()).toEqual(kinds.map(([kind]) => kind).sort());
});
