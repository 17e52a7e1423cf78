/**
 * `node tuned.mjs JSON`: tunes a pipeline as `venturi tune` does; prints one line of JSON: the plans that were tried and the best. Sinks are carried out in
 * trials: the examples write the same files again.
 */
import { tune } from 'venturi';

const result = await tune({ sideEffects: 'allow', ...JSON.parse(process.argv[2]) });
const actionsOf = ({ changes }) => changes.map(({ action }) => action);
const tried = result.tried.map(each => ({ actions: actionsOf(each), rate: each.measured.estimate }));
process.stdout.write(
  `${JSON.stringify({
    actions: actionsOf(result.plan),
    tried,
    before: result.before.measured.estimate,
    ceiling: result.ceiling.estimate,
    unchanged: result.unchanged,
    problems: result.problems,
  })}\n`,
);
