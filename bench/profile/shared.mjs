import { atOnce, pipelineFile, profiled } from './runs.mjs';

/** One function serves two operators; the second gets one element in `keep`. */
const sharedPlan = keep => `
import { pipeline, range } from 'venturi/engine';
const both = x => { let y = x | 0; for (let k = 0; k < 400; k++) y = (Math.imul(y, 31) + k) | 0; return y; };
export default pipeline(import.meta, { n: 8_000_000 }, ({ n }) => range(n)
  .map(both, { name: 'first' })
  .filter((_, { index }) => index % ${keep} === 0, { name: 'some' })
  .map(both, { name: 'second' })
  .batch(1024));
`;

/** How far the shares of operators are off that share a function, against the number of elements that each gets. */
export async function sharedCode(report, folder) {
  const results = await atOnce([1, 2, 3, 4, 6, 8], async keep => {
    const { profile } = await profiled(folder, pipelineFile(folder, `shared-${keep}.ts`, sharedPlan(keep)));
    const [first, second] = ['first', 'second'].map(name => profile.operators.find(({ id }) => id === name));
    const both = first.share + second.share;
    const truth = keep / (keep + 1);
    return {
      error: Math.abs(first.share / both - truth),
      isHeld: first.band.low / both <= truth && truth <= first.band.high / both,
      divided: profile.shared.reduce((sum, { share }) => sum + share, 0),
    };
  });
  const errors = results.map(({ error }) => error);
  report({
    case: 'shared-code/error',
    value: errors.reduce((sum, error) => sum + error, 0) / errors.length,
    unit: 'of share',
    worst: Math.max(...errors),
    'bands held': results.filter(({ isHeld }) => isHeld).length / results.length,
    divided: Math.max(...results.map(({ divided }) => divided)),
    goal: '<= 0.03',
  });
}
