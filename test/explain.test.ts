import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Explanation } from '../src/workflow/index.ts';
import { Workshop } from './fixtures/workshop.ts';

/** What `venturi explain` says of the pipelines in golden/programs; `-u` writes the files anew. */
const PROGRAMS = ['joined', 'written'];
const MEMORY = ['--memory', '256MiB'];
const golden = (path: string): string => fileURLToPath(new URL(`./golden/${path}`, import.meta.url));

const shop = new Workshop();
beforeAll(() => {
  for (const name of PROGRAMS) copyFileSync(golden(`programs/${name}.ts`), shop.path(`${name}.ts`));
});
afterAll(() => shop.remove());

it.each(PROGRAMS)('%s.ts, explained', async name => {
  // Channels are as large as memory allows: that of this machine is not meant.
  const text = await shop.venturi('explain', `${name}.ts`, ...MEMORY);
  expect(text.code, text.stderr).toBe(0);
  await expect(text.stdout).toMatchFileSnapshot(golden(`explained/${name}.txt`));
  const json = await shop.venturi('explain', `${name}.ts`, ...MEMORY, '--json');
  const explained: Explanation = JSON.parse(json.stdout);
  // Where in its file an operator stands is a path of this machine.
  const { stages, graph } = explained;
  expect(stages.map(({ id }) => id)).toEqual(graph.stages.map(({ id }) => id));
  const kept = {
    stages: stages.slice(-1),
    graph: { ...graph, operators: graph.operators.map(({ id, label }) => ({ id, label })) },
  };
  await expect(JSON.stringify(kept, undefined, 1)).toMatchFileSnapshot(golden(`explained/${name}.json`));
});

it('says what a plan or a setting would change, and refuses what a run would', async () => {
  const divided = await shop.venturi('explain', 'joined.ts', '--set', 'augment.parallelism=3');
  expect(divided.stdout).toContain('9 stages, in 12 lanes');
  const unknown = await shop.venturi('explain', 'joined.ts', '--set', 'nobody.parallelism=3');
  expect(unknown.code).toBe(2);
});
