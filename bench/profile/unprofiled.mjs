import { added, inChild, median, middleMeanInterval, timed } from '../harness.mjs';

const SCALE = 0.05;
/** Runs of each query and variant before what counts: V8 compiles a loop anew as it learns its types, in threads whose CPU falls to whoever is measured meanwhile. */
const WARM_UP = 4;
/** Turns of each, and the CPU of one: short queries run several times in a turn. */
const TURNS = 11;
const TURN_SECONDS = 0.005;
/** `plain` stands there twice: what the two differ by is the noise (A/A). */
const VARIANTS = ['plain', 'tracked', 'again'];
const ALLOWED = 0.02;

/**
 * What tracking costs where nobody profiles: all 22 queries of TPC-H, compiled and run, against the same without line numbers of their own, dictionary and copies of helpers. Each is compiled three times in one process,
 * tracked once and plain twice, and the three take turns: two processes differ by more than what is looked for. What V8 makes of the same text also differs from one compile to the next, by a tenth and more, so
 * every round is a process of its own, and the cost is the mean over queries and rounds.
 */
export async function unprofiled(report, _folder, { rounds }) {
  const seen = [];
  for (let round = 0; round < rounds; round++) seen.push(await inChild(import.meta.url, [round]));
  const ratios = seen.flatMap(({ running }) =>
    running.map(({ plain, tracked, again }) => tracked / Math.sqrt(plain * again)),
  );
  const { low, high } = added(
    middleMeanInterval(seen.flatMap(({ running }) => running.map(({ plain, again }) => again / plain))),
  );
  const noise = Math.max(Math.abs(low), Math.abs(high));
  report({
    case: 'unprofiled-cost',
    ...added(middleMeanInterval(ratios)),
    unit: 'of CPU',
    'of compiling alone': median(
      seen.map(({ compiling: { plain, tracked, again } }) => tracked / Math.sqrt(plain * again) - 1),
    ),
    'A/A': noise,
    rounds,
    decided: noise <= ALLOWED / 2 ? 'yes' : 'no',
    goal: `<= ${ALLOWED}`,
  });
}

/** By variant: CPU of compiling all queries, and of a run of each query, the median of its turns. Who comes first changes from round to round, and from turn to turn. */
async function measured(round) {
  const api = await import('venturi/relational');
  const { relationalTables, tpch } = await import('../query/tpch.mjs');
  const { queriesOf } = await import('../query/queries.mjs');
  const relations = Object.values(queriesOf(relationalTables(tpch(SCALE), api), SCALE, api)).map(make => make());
  const compile = (relation, variant) => new api.Query(relation, { isTracked: variant === 'tracked' });
  // The optimiser looks at tables once and remembers what it saw: nobody pays for that here. Its own code is compiled, too.
  for (const relation of relations) for (const variant of VARIANTS) compile(relation, variant);
  const compiling = Object.fromEntries(VARIANTS.map(variant => [variant, 0]));
  const running = [];
  for (const relation of relations) {
    const own = {};
    const turns = Object.fromEntries(VARIANTS.map(variant => [variant, []]));
    for (const variant of turned(VARIANTS, round))
      compiling[variant] += (await timed(() => (own[variant] = compile(relation, variant)))).cpu;
    for (let run = 0; run < WARM_UP; run++) for (const variant of VARIANTS) own[variant].columns();
    const { cpu } = await timed(() => own.plain.columns());
    const times = Math.max(1, Math.round(TURN_SECONDS / cpu));
    for (let turn = 0; turn < TURNS; turn++)
      for (const variant of turned(VARIANTS, round + turn)) {
        const took = await timed(() => {
          for (let run = 0; run < times; run++) own[variant].columns();
        });
        turns[variant].push(took.cpu);
      }
    running.push(Object.fromEntries(VARIANTS.map(variant => [variant, median(turns[variant])])));
  }
  return { compiling, running };
}

const turned = (list, by) => list.map((_, at) => list[(at + by) % list.length]);

// As the program of a fresh process: `node unprofiled.mjs ROUND`.
if (process.argv[1] === new URL(import.meta.url).pathname) {
  process.stdout.write(`${JSON.stringify(await measured(Number(process.argv[2])))}\n`);
}
