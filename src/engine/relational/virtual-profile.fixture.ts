import { BegunPipelines } from './begun-pipelines.ts';
import { HelperCode } from './helper-code.ts';
import { Lowering } from './lowering.ts';
import { Query } from './query.ts';
import { scopeOf } from './query-scope.ts';
import type { Relation } from './relation.ts';
import { RowCounts } from './row-counts.ts';
import { TaggingDictionary } from './tagging-dictionary.ts';

/** Lines that are no statements: ends of blocks, parts of an object. Nor is it work on rows that their number is noted behind a loop. */
const NO_STATEMENT = /^(\}|\w+: \w+,$|counts\[)/;

/**
 * A profile without a clock: every statement of the generated code takes one tick. Shares of a query's operators in equal stretches of the ticks of its pipeline `pipeline`, as samples at a steady rate
 * would have them if all lines took the same time.
 */
export function virtualProfile(
  relation: Relation,
  pipeline: string,
  stretches: number,
): readonly ReadonlyMap<string, number>[] {
  const query = new Query(relation, { optimise: false });
  const { dictionary } = query;
  const counts = new RowCounts(true);
  const begun = new BegunPipelines(new TaggingDictionary(), false, new HelperCode(true), counts);
  new Lowering(begun).keep(query.plan, 'result');
  const ticks: number[] = [];
  const lines = query.text.split('\n');
  const at = query.pipelines.indexOf(pipeline);
  const [from, until] = [`function pipeline${at}(`, `function enter${at}(`].map(head =>
    lines.findIndex(line => line.startsWith(head)),
  );
  const isIn = (line: number): boolean => line > Number(from) && line < Number(until);
  const text = lines
    .map((line, place) => (isIn(place) && !NO_STATEMENT.test(line.trim()) ? `tick(${place + 1}); ${line}` : line))
    .join('\n');
  const scope = {
    ...scopeOf(begun.inputs, { claimed: 0, memory: 2 ** 30 }, new Float64Array(counts.edges)),
    tick: (line: number) => ticks.push(line),
  };
  const pipelines: ((state: object) => void)[] = new Function(...Object.keys(scope), text)(...Object.values(scope));
  const state = {};
  for (const run of pipelines) run(state);
  return Array.from({ length: stretches }, (_, stretch) => {
    const own = ticks.slice((ticks.length * stretch) / stretches, (ticks.length * (stretch + 1)) / stretches);
    const shares = new Map<string, number>();
    for (const line of own) {
      const tasks = dictionary.tasksOf(line);
      for (const task of tasks) {
        const label = dictionary.operators[dictionary.tasks[task]?.operator ?? -1]?.label ?? '';
        shares.set(label, (shares.get(label) ?? 0) + 1 / tasks.length / own.length);
      }
    }
    return shares;
  });
}
