/**
 * TPC-H on compiled queries, next to the same plans as pull iterators, to DuckDB on one thread, and, for four of them, to loops written by
 * hand. Every query has a process to itself, in which all of them take turns; their results are compared first. This file is also that
 * process's program. The three that are furthest behind are profiled: `hot-line` is the line that had most of the samples. `--scale 0.05` is the scale factor, `--only q1,q6` chooses queries. `two-plans` are those of figure 10 of Tailored Profiling, each under V8's sampler.
 */
import { inChild, inFolder, median, option, orAbsent, spread, timed } from './harness.mjs';
import { profiledQuery } from './profile/runs.mjs';

const SCALE = 0.05;
/** Of the two plans: hash tables that are larger than a cache. */
const PLANS_SCALE = 0.2;
const ROUNDS = 11;
/** Before anything is counted: V8 compiles a loop anew as it learns its types. */
const WARM_UP = 5;
/** Queries that are profiled, and for how long each. */
const WORST = 3;
const SAMPLED_SECONDS = 3;
const QUERIES = Array.from({ length: 22 }, (_, at) => `q${at + 1}`);

export default async function query(report, { args }) {
  const scale = Number(option(args, 'scale') ?? SCALE);
  const only = option(args, 'only')?.split(',') ?? QUERIES;
  const ratios = { iterators: [], hand: [], duckdb: [] };
  const worst = [];
  if (option(args, 'only') === undefined || only.includes('two-plans')) await twoPlans(report);
  for (const name of only.filter(each => each !== 'two-plans')) {
    const { ms, differs, absent, ...measured } = await inChild(import.meta.url, [name, scale]);
    report({ case: `${name}/cpu`, ...spread(ms), unit: 'ms' });
    for (const [other, problem] of Object.entries(differs))
      report({
        case: `${name}/same-as-${other}`,
        value: problem === null ? 1 : 0,
        unit: 'yes',
        ...(problem !== null && { problem }),
        goal: '= 1',
      });
    worst.push({ name, ratio: median(measured.duckdb ?? measured.iterators) });
    for (const [other, values] of Object.entries(measured)) {
      ratios[other].push(median(values));
      report({ case: `${name}/vs-${other}`, ...spread(values), unit: 'times' });
    }
    if (absent !== undefined) report({ case: `${name}/vs-duckdb`, absent });
  }
  await hotLines(report, worst);
  if (ratios.iterators.length > 0)
    report({ case: 'vs-iterators/median', value: median(ratios.iterators), unit: 'times', goal: '>= 2.5', scale });
  if (ratios.hand.length > 0)
    report({ case: 'vs-hand-loop/median', value: median(ratios.hand), unit: 'times', goal: '>= 0.7', scale });
  if (ratios.duckdb.length > 0) {
    const value = Math.exp(ratios.duckdb.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.duckdb.length);
    report({ case: 'vs-duckdb/geomean', value, unit: 'times', goal: '>= 0.2', scale });
  }
}

/** Our own profile of the three queries that are furthest behind DuckDB, or the iterators where it is absent: the line of generated code with most of the samples, and whose it is. */
async function hotLines(report, measured) {
  const worst = measured.toSorted((a, b) => a.ratio - b.ratio).slice(0, WORST);
  await inFolder(async folder => {
    for (const { name, ratio } of worst)
      await orAbsent(report, `${name}/hot-line`, async () => {
        const { profile } = await profiledQuery(folder, name, SAMPLED_SECONDS);
        const [line] = profile.hottest.filter(({ stage }) => stage === name);
        report({
          case: `${name}/hot-line`,
          value: line.share,
          unit: 'of samples',
          line: `${name}:${line.number} ${line.text.trim()}`,
          operators: [line, ...(line.others ?? [])].map(({ operator, task }) => `${operator ?? 'engine'}: ${task}`),
          samples: profile.samples,
          'against it': ratio,
        });
      });
  });
}

/** Shares of the two joins at the start and at the end of the pipeline that probes for both. */
async function twoPlans(report) {
  for (const plan of ['fig10a', 'fig10b']) {
    const { ms, samples, shares } = await inChild(new URL('./query/two-plans.mjs', import.meta.url).href, [
      plan,
      PLANS_SCALE,
    ]);
    report({ case: `two-plans/${plan}/cpu`, value: ms, unit: 'ms', scale: PLANS_SCALE, samples });
    for (const join of ['orders', 'partsupp']) {
      const over = shares.map(own => own[join] ?? 0);

      report({ case: `two-plans/${plan}/${join}-first`, value: over[0], unit: 'share', over });
      report({ case: `two-plans/${plan}/${join}-last`, value: over.at(-1), unit: 'share' });
    }
  }
}

/** CPU of the others as a multiple of the compiled query's, round by round. */
async function measure(name, scale) {
  const api = await import('venturi/relational');
  const { relationalTables, tpch } = await import('./query/tpch.mjs');
  const { queriesOf } = await import('./query/queries.mjs');
  const { rowsOf } = await import('./query/iterators.mjs');
  const { handLoops } = await import('./query/hand.mjs');
  const { sqlOf } = await import('./query/sql.mjs');
  const { difference } = await import('./query/same-rows.mjs');
  const data = tpch(scale);
  const tables = relationalTables(data, api);
  const relation = queriesOf(tables, scale, api)[name]();
  const compiled = new api.Query(relation);
  const own = compiled.run();
  const dates = [...relation.plan.schema].flatMap(([column, { type }]) => (type === 'date' ? [column] : []));
  const dated = rows =>
    rows.map(row => ({ ...row, ...Object.fromEntries(dates.map(column => [column, api.dateOf(row[column])])) }));
  const hand = handLoops(tables)[name];
  const { duckdb, absent } = await inFolder(async folder => {
    try {
      const { openDuckdb } = await import('./query/duckdb.mjs');
      return { duckdb: await openDuckdb(data, folder) };
    } catch (error) {
      return { absent: `${error.message.split('\n')[0]}; npm install --prefix bench installs it` };
    }
  });
  const sql = sqlOf(scale)[name];
  const others = {
    iterators: { run: () => rowsOf(relation.plan), rows: () => dated(rowsOf(relation.plan)) },
    ...(hand !== undefined && { hand: { run: hand, rows: hand } }),
    ...(duckdb !== undefined && { duckdb: { run: () => duckdb.run(sql), rows: () => duckdb.rows(sql) } }),
  };
  const differs = {};
  for (const [other, { rows }] of Object.entries(others)) differs[other] = difference(own, await rows()) ?? null;
  const cpu = Object.fromEntries(['own', ...Object.keys(others)].map(each => [each, []]));
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const each of Object.keys(cpu)) {
      // Short ones are repeated: the clock of CPU time is coarse.
      const work = each === 'own' ? () => compiled.columns() : others[each].run;
      let turns = 0;
      const { cpu: seconds } = await timed(async () => {
        const began = performance.now();
        do {
          await work();
          turns++;
        } while (performance.now() - began < 20);
      });
      if (round >= 0) cpu[each].push(seconds / turns);
    }
  }
  const against = other => cpu[other].map((seconds, round) => seconds / cpu.own[round]);
  return {
    ms: cpu.own.map(seconds => seconds * 1e3),
    differs,
    ...(absent !== undefined && { absent }),
    ...Object.fromEntries(Object.keys(others).map(other => [other, against(other)])),
  };
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [name, scale] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(await measure(name, Number(scale))));
  process.exit();
}
