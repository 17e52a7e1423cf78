/** A tuned pipeline against the same with one thread more or less somewhere: is there a better choice next door? */
import { describe, divisible } from './changes.mjs';
import { inTurns, over } from './ratios.mjs';

export async function deviationsOf(report, measured, { rounds }) {
  const { actions } = await measured.tune();
  const configurations = { tuned: actions, ...neighbours(measured.graph, actions) };
  const rates = await inTurns(measured, configurations, rounds);
  for (const name of Object.keys(configurations).filter(each => each !== 'tuned')) {
    report({
      case: `deviations/${measured.example.name}/${name}`,
      ...over(rates.tuned, rates[name]),
      unit: 'x rate',
      tuned: describe(actions),
    });
  }
}

function neighbours(graph, actions) {
  const found = {};
  for (const id of divisible(graph)) {
    const others = actions.filter(({ kind, operator }) => kind !== 'parallelism' || operator !== id);
    const now = actions.find(each => each.kind === 'parallelism' && each.operator === id)?.to;
    const lanes = now ?? graph.operators.find(each => each.id === id).parallelism ?? 1;
    found[`${id}+1`] = [...others, { kind: 'parallelism', operator: id, to: lanes + 1 }];
    if (lanes > 1) found[`${id}-1`] = [...others, { kind: 'parallelism', operator: id, to: lanes - 1 }];
  }
  return found;
}
