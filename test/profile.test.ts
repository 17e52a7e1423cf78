import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import type { LaneDictionary } from '../src/model/profile.ts';
import type { Profile } from '../src/workflow/index.ts';
import { Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();
afterAll(() => shop.remove());

/** Every function says from which line of generated code it was called; all of them keep their thread busy. */
const HEAD = `
  const turn = (x, n) => { let y = x | 0; for (let k = 0; k < n; k++) y = (Math.imul(y, 31) + k) | 0; return y; };
  const seen = new Map();
  const called = operator => {
    const [, line] = /venturi:[^\\s:()]+:(\\d+):\\d+/.exec(new Error().stack) ?? [];
    seen.set(operator, Number(line));
  };
  const twice = x => turn(x, 20000);`;
const GRAPH = `range(p.n)
    .map(x => { if (x % 1000 === 0) called('first'); return turn(x, 20000); }, { name: 'first' })
    .map(x => turn(x, 20000), { name: 'own threads', parallelism: 2 })
    .map(twice, { name: 'left' }).map(twice, { name: 'right' })
    .batch(10, { name: 'tens', parallelism: 1 })
    .map(batch => ({ size: batch.length, lines: [...seen] }), { name: 'told' })`;

async function profiled(...args: string[]): Promise<Profile> {
  const { code, stdout, stderr } = await shop.venturi('profile', ...args, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

const dictionaries = (run: string): LaneDictionary[] =>
  readdirSync(shop.path(`${run}.venturi/profile`))
    .filter(name => name.startsWith('lane-'))
    .map(name => JSON.parse(readFileSync(shop.path(`${run}.venturi/profile/${name}`), 'utf8')));

it.each([
  ['threads', 4, []],
  ['inline', 1, ['--inline']],
])('a run with %s is sampled in every lane, and all its samples have owners', async (name, lanes, more) => {
  const pipeline = shop.pipeline(`${name}.mjs`, GRAPH, HEAD, '{ n: 5000 }');
  const result = await profiled(pipeline, '--record', name, ...more);
  const told = dictionaries(name);
  expect(told).toHaveLength(lanes);
  // No two lines of a thread have one number.
  for (const tid of new Set(told.map(each => each.tid))) {
    const loops = told.filter(each => each.tid === tid).flatMap(each => each.loops);
    const lines = loops.flatMap(({ firstLine, text }) => text.split('\n').map((_, at) => firstLine + at));
    expect(new Set(lines).size).toBe(lines.length);
  }
  expect(result.operators.map(({ id }) => id).sort()).toEqual(
    ['first', 'left', 'own threads', 'range', 'right', 'tens', 'told'].sort(),
  );
  for (const busy of ['first', 'own threads']) {
    expect(result.operators.find(({ id }) => id === busy)?.hits, busy).toBeGreaterThan(0);
  }
  const given = [...result.operators, ...result.rest].reduce((sum, { hits }) => sum + hits, 0);
  expect(given).toBeCloseTo(result.samples);
  const sharing = ['left', 'right'].map(id => result.operators.find(each => each.id === id));
  for (const each of sharing) expect(each?.hits, each?.id).toBeGreaterThan(0);
  expect(result.shared.map(({ operators }) => operators)).toContainEqual(['left', 'right']);
});

it("leads samples in a query to the query's operators, in every lane that runs it", async () => {
  const head = `import { col, count, Query, scan, table } from 'venturi/relational';
  const numbers = Int32Array.from({ length: 50000 }, (_, at) => at);
  const others = scan(table('others', { o: numbers }));
  const query = new Query(scan(table('numbers', { n: numbers })).filter(col('n').gt(9))
    .join(others, [['n', 'o']], { how: 'semi', name: 'one' })
    .join(others, [['n', 'o']], { how: 'anti', name: 'two', condition: col('o').lt(0) })
    .groupBy(['n'], { rows: count() }, { name: 'by number' }), { name: 'counts' });`;
  const pipeline = shop.pipeline(
    'query.mjs',
    "range(p.n).map(() => query.columns().rows, { name: 'ask', parallelism: 2 })",
    head,
    '{ n: 200 }',
  );
  const { operators, lanes, loops } = await profiled(pipeline, '--record', 'query');
  // 200 runs, on two lanes together: rows of the table, those above 9, and for joins those of both sides.
  const rowsOf = (id: string) => operators.find(each => each.id === `counts: ${id}`)?.rows;
  expect(['scan numbers', 'filter', 'by number'].map(rowsOf)).toEqual([200 * 50_000, 200 * 50_000, 200 * 49_990]);
  expect(['one', 'two'].map(rowsOf)).toEqual([200 * (49_990 + 50_000), 200 * (49_990 + 50_000)]);
  expect(lanes).toBe(3);
  const grouped = operators.find(({ id }) => id === 'counts: by number');
  expect(grouped?.by.line).toBeGreaterThan(0);
  expect(operators.map(({ id }) => id)).toContain('counts: scan numbers');
  const written = readFileSync(shop.path(pipeline), 'utf8').split('\n');
  const sources = ['counts: by number', 'counts: two', 'ask'].map(id => operators.find(each => each.id === id)?.source);
  expect(sources).toEqual(
    ['by number', 'two', 'ask'].map(
      name => `query.mjs:${written.findIndex(line => line.includes(`name: '${name}'`)) + 1}`,
    ),
  );
  const listed = loops.find(({ stage }) => stage === 'counts');
  expect(listed?.lines.findLast(({ text }) => text.includes('rows: for'))?.operator).toBe('counts: by number');
  // The hash of a number serves both joins and the groups: it has all of them for owners.
  const [joint] = dictionaries('query').filter(({ isQuery }) => isQuery === true);
  const owners = joint?.loops.flatMap(({ lines }) => lines.filter(([, , ...tasks]) => tasks.length > 1)) ?? [];
  expect(owners.length).toBeGreaterThan(0);
  const listedOwners = listed?.lines.flatMap(({ operator, others = [] }) =>
    others.length === 0 ? [] : [[operator, ...others.map(each => each.operator)]],
  );
  for (const each of listedOwners ?? []) expect(each).toEqual(expect.arrayContaining(['counts: one', 'counts: two']));
  expect(listedOwners?.length).toBe(owners.reduce((sum, [first, last]) => sum + last - first + 1, 0));
});

it('names the hot line of a query of TPC-H, and whose it is', async () => {
  const bench = new URL('../bench/query/', import.meta.url).pathname;
  const head = `import * as relational from 'venturi/relational';
  import { queriesOf } from '${bench}queries.mjs';
  import { relationalTables, tpch } from '${bench}tpch.mjs';
  const q1 = new relational.Query(queriesOf(relationalTables(tpch(0.01), relational), 0.01, relational).q1(), { name: 'q1' });`;
  const pipeline = shop.pipeline('q1.mjs', 'range(p.n).map(() => q1.columns().rows)', head, '{ n: 500 }');
  const { hottest, loops } = await profiled(pipeline, '--record', 'q1');
  const code = loops.find(({ stage }) => stage === 'q1')?.lines ?? [];
  const [line] = hottest.filter(({ stage }) => stage === 'q1');
  expect(line?.operator).toMatch(/^q1: /);
  expect(line?.hits).toBe(Math.max(...code.map(({ hits }) => hits)));
  expect(code[(line?.number ?? 0) - 1]).toMatchObject({ text: line?.text, operator: line?.operator });
});

it('shows a run again, narrowed to a part of it, in text, and refuses what it cannot show', async () => {
  const again = await profiled('threads');
  const part = await profiled('threads', '--to', '1ms');
  expect(again.samples).toBeGreaterThan(0);
  expect(part.samples).toBe(0);
  const { stdout } = await shop.venturi('profile', 'threads', '--level', 'line');
  for (const text of ['Operators', 'Activity over time', 'Tasks', 'Code of own threads'])
    expect(stdout).toContain(text);
  for (const args of [
    ['--level', 'column'],
    ['--from', '2s', '--to', '1s'],
  ]) {
    expect((await shop.venturi('profile', 'threads', ...args)).code, args.join(' ')).toBe(2);
  }
  expect((await shop.venturi('profile', 'threads.mjs', '--rate', '50000')).code).toBe(2);
  expect((await profiled('threads', '--from', '0s')).samples).toBe(again.samples);
  const late = await shop.venturi('profile', 'threads', '--from', '1000s');
  expect(late.stderr).toContain('The run had its last sample after');
  for (const args of [['--rate', '5000'], ['--param', 'n=3'], ['--record', 'other'], ['--inline']]) {
    const { code, stderr } = await shop.venturi('profile', 'threads', ...args);
    expect([code, stderr.includes(`${args[0]} cannot change threads`)], stderr).toEqual([2, true]);
  }
});

it('counts an epoch apart, and refuses one that there is not', async () => {
  const pipeline = shop.pipeline(
    'epochs.mjs',
    "range(p.n).map(x => turn(x, 20000), { name: 'turn' })",
    HEAD,
    '{ n: 20000 }',
  );
  const whole = await profiled(pipeline, '--epochs', '3', '--record', 'epochs');
  const parts = await Promise.all(['1', '2', '3'].map(epoch => profiled('epochs', '--epoch', epoch)));
  for (const { samples, epoch } of parts) expect(samples, `epoch ${epoch}`).toBeGreaterThan(0);
  expect(parts.reduce((sum, { samples }) => sum + samples, 0)).toBe(whole.samples);
  expect(parts.map(({ toSeconds }) => toSeconds)).toEqual([parts[1]?.fromSeconds, parts[2]?.fromSeconds, undefined]);
  const stopped = await shop.venturi('profile', pipeline, '--epochs', '1000', '--for', '300ms', '--record', 'stopped');
  expect(stopped.code, stopped.stderr).toBe(0);
  for (const [run, epoch, ...more] of [
    ['epochs', '4'],
    ['epochs', '0'],
    ['epochs', '2', '--from', '1s'],
    ['threads', '2'],
    ['stopped', '1'],
  ] as const) {
    const { code, stderr } = await shop.venturi('profile', run, '--epoch', epoch, ...more);
    expect([code, /VENTURI_(BAD_OPTION|USAGE)/.test(stderr)], `${run} ${epoch}: ${stderr}`).toEqual([2, true]);
  }
});

it('misses what is gone from a profile: pieces of its samples, and the dictionary of a lane', async () => {
  const codes = async (): Promise<string[]> => (await profiled('threads')).problems.map(({ message }) => message);
  expect(await codes()).toEqual([]);
  const samples = shop.path('threads.venturi/profile/samples.jsonl');
  const whole = readFileSync(samples, 'utf8');
  const lines = whole.trimEnd().split('\n');
  writeFileSync(samples, `${lines.slice(0, -1).join('\n')}\n`);
  expect(await codes()).toEqual([expect.stringContaining(`1 of ${lines.length} pieces`)]);
  writeFileSync(samples, whole);
  const [dictionary = ''] = readdirSync(shop.path('threads.venturi/profile')).filter(name => name.startsWith('lane-'));
  rmSync(shop.path(`threads.venturi/profile/${dictionary}`));
  expect(await codes()).toEqual([expect.stringContaining('1 of 4 lanes')]);
});

it('reads what is whole of a profile that is damaged, and says so', async () => {
  const before = await profiled('inline');
  appendFileSync(shop.path('inline.venturi/profile/samples.jsonl'), '{"stream":"0x1","frames":[');
  const after = await profiled('inline');
  expect(after.samples).toBe(before.samples);
  expect(after.problems.map(({ code }) => code)).toContain('VENTURI_WARN_PROFILE_DAMAGED');
  rmSync(shop.path('inline.venturi/profile/samples.jsonl'));
  const { samples, problems } = await profiled('inline');
  expect(samples).toBe(0);
  expect(problems.map(({ code }) => code)).toContain('VENTURI_WARN_PROFILE_DAMAGED');
  writeFileSync(shop.path('inline.venturi/profile/profile.json'), '{');
  expect((await shop.venturi('profile', 'inline')).stderr).toContain('VENTURI_RUN_UNREADABLE');
});

it('a run goes on where its profile cannot be written, and says so', async () => {
  const folder = shop.path('unwritable.venturi/profile');
  const inTheWay = `import { mkdirSync } from 'node:fs';
  import { isMainThread, threadId } from 'node:worker_threads';
  if (!isMainThread) for (const name of ['samples.jsonl', \`lane-\${threadId}-0.json\`])
    mkdirSync(\`${folder}/\${name}\`, { recursive: true });`;
  const pipeline = shop.pipeline(
    'unwritable.mjs',
    'range(p.n).map(x => turn(x, 20000))',
    inTheWay + HEAD,
    '{ n: 5000 }',
  );
  const { code, stdout, stderr } = await shop.venturi('profile', pipeline, '--record', 'unwritable');
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('Samples are no longer kept: EISDIR');
  expect(stderr).toContain('lead to no operator: EISDIR');
  expect(stdout).toContain('samples.jsonl of the profile cannot be read');
});
