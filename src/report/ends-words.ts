import type { End } from '../model/end.ts';
import type { Graph } from '../model/graph.ts';
import { plural } from './format.ts';
import { labelsOf } from './labels.ts';

/** Ends at which a rate counts elements, to follow it: ` into write`, ` into 2 sinks`. Empty where the pipeline yields them all. */
export function endsWords(ends: readonly End[], graph: Pick<Graph, 'operators'> | undefined): string {
  const operators = graph?.operators ?? [];
  const label = labelsOf(operators);
  const [sink, ...others] = ends.filter(({ counted }) => counted === 'elementsIn');
  const into =
    sink === undefined ? '' : ` into ${others.length === 0 ? label(sink.operator) : plural(others.length + 1, 'sink')}`;
  const left = ends.find(({ counted }) => counted === 'elementsOut');
  if (left === undefined) return into;
  if (into !== '') return ` to the consumer and${into}`;
  const isRead = operators.some(({ inputs }) => inputs.includes(left.operator));
  return isRead ? ` out of ${label(left.operator)}` : '';
}
