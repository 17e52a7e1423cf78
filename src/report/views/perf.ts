import type { PerfSummary } from '../../analysis/profile/perf-summary.ts';
import { heading, paragraph } from '../blocks.ts';
import { figures, names, table } from '../columns.ts';
import { byteSize, count, percent } from '../format.ts';
import type { Profile } from '../results/profile.ts';
import type { Block } from '../tree.ts';
import { hottestTable } from './profiled-code.ts';

/** What Linux perf saw, beside the shares by V8's samples. */
export function perfBlocks({ perf, operators, rest }: Profile, isDeep: boolean): Block[] {
  if (perf === undefined) return [];
  const { events, samples, loading, otherThreads, rows, native, hottest, frequency } = perf;
  const byV8 = new Map([
    ...operators.map(({ id, share }) => [id, share] as const),
    ...rest.map(({ kind, task, share }) => [V8_ROWS[kind] ?? `engine: ${task ?? ''}`, share] as const),
  ]);
  const labels = new Map(operators.map(({ id, label }) => [id, label]));
  const labelOf = (name: string): string => labels.get(name) ?? name;
  const told = events.map((event, at) => `${count(samples[at])} of ${event}`).join(', ');
  const all = (counts: readonly number[]): string => count(counts.reduce((sum, each) => sum + each, 0));
  return [
    heading('By perf', `${count(frequency)} samples a second asked`),
    paragraph(
      `Samples in lanes: ${told}; before lanes had loaded: ${all(loading)}; in other threads: ${all(otherThreads)}.`,
    ),
    table(rows, [
      names('operator', ({ name }) => labelOf(name)),
      figures('by V8', ({ name }) => percent(byV8.get(name))),
      ...events.map((event, at) => figures<PerfSummary['rows'][number]>(event, ({ shares }) => percent(shares[at]))),
      figures('in native code', ({ nativeShare }) => percent(nativeShare)),
    ]),
    ...positionBlocks(perf),
    ...builtinBlocks(perf),
    ...(native.length === 0
      ? []
      : [
          heading('Native functions', `by ${events[0] ?? ''}, with the operators that called them`),
          table(native, [
            figures('share', ({ share }) => percent(share)),
            names('function', ({ symbol, module }) => `${symbol} (${module})`),
            names('called by', ({ callers }) =>
              callers
                .slice(0, MOST_CALLERS)
                .map(({ name, share }) => `${labelOf(name)} ${percent(share)}`)
                .join(', '),
            ),
          ]),
        ]),
    ...dataBlocks(perf, labelOf),
    ...(isDeep && hottest.length > 0 ? [heading('Hottest lines by perf'), hottestTable(hottest, operators)] : []),
  ];
}

const MOST_CALLERS = 3;

const V8_ROWS: Readonly<Record<string, string>> = {
  collection: 'garbage collection',
  compilation: 'compilation',
  native: 'native code',
  outside: 'elsewhere',
};

function positionBlocks({ position: { checked, agreeing } }: PerfSummary): Block[] {
  if (checked === 0) return [];
  const apart = checked - agreeing;
  return [
    paragraph(
      `Of ${count(checked)} samples in generated code, ${apart === 0 ? 'all' : count(agreeing)} have a line of the loop that lies at their address${apart === 0 ? '' : '; the others are lines of functions that were compiled into it'}.`,
      'muted',
    ),
  ];
}

/** Of functions that V8 has of its own some run without a frame, which perf then takes for their caller's. */
function builtinBlocks({ inBuiltins, events }: PerfSummary): Block[] {
  if (inBuiltins === 0) return [];
  const words = `${percent(inBuiltins)} of ${events[0] ?? ''} lie in V8's own functions (Builtins_…). Some of them have no frame: then the line that called is not known, and the one that called its function is taken.`;
  return [paragraph(words, 'muted')];
}

function dataBlocks({ data, events }: PerfSummary, labelOf: (name: string) => string): Block[] {
  if (data.length === 0) return [];
  return [
    heading('Memory', 'of samples that tell the address of data'),
    table(data, [
      names('operator', ({ name }) => labelOf(name)),
      names('event', ({ event }) => events[event] ?? ''),
      figures('samples', ({ samples }) => count(samples)),
      figures('pages', ({ pages }) => count(pages)),
      figures('span', ({ span }) => byteSize(span)),
      figures('ascending', ({ ascending }) => percent(ascending)),
    ]),
  ];
}
