import type { ProfiledOperator, RestRow } from '../../analysis/profile/summary.ts';
import { heading, paragraph } from '../blocks.ts';
import { figures, names, optional, table } from '../columns.ts';
import { count, percent, plural, preciseTime, time } from '../format.ts';
import type { Profile } from '../results/profile.ts';
import type { Block, Report } from '../tree.ts';
import { activityTable } from './activity.ts';
import { perfBlocks } from './perf.ts';
import { cautionBlocks } from './problems.ts';
import { codeBlocks } from './profiled-code.ts';

export type ProfileLevel = 'operator' | 'task' | 'line';
export const PROFILE_LEVELS: readonly ProfileLevel[] = ['operator', 'task', 'line'];

const RUNTIME: Readonly<Record<Exclude<RestRow['kind'], 'engine'>, string>> = {
  collection: 'garbage collection',
  compilation: 'compilation',
  native: 'native code',
  outside: 'elsewhere: no operator known',
};

/** Line one: the operator with most of the samples. The deeper the level, the more comes behind it. */
export function profileReport(profile: Profile, level: ProfileLevel): Report {
  return [
    { type: 'verdict', text: headline(profile) },
    ...cautionBlocks(profile.problems),
    heading('Operators', sampleNote(profile)),
    operatorTable(profile.operators),
    ...sharedBlocks(profile),
    heading('Beside the operators', 'the engine around them, and V8'),
    restTable(profile.rest),
    ...activityBlocks(profile),
    ...perfBlocks(profile, level === 'line'),
    ...(level === 'operator' ? [] : [heading('Tasks'), taskTable(profile.operators)]),
    ...(level === 'line' ? codeBlocks(profile) : []),
  ];
}

function headline({ name, operators: [first], samples, inOperators }: Profile): string {
  if (samples === 0 || first === undefined) return `${name}: no lane was sampled at work`;
  const each = first.nsPerRow === undefined ? '' : `, ${preciseTime(first.nsPerRow)} an element`;
  return `${name}: ${first.label} has ${percent(first.share)} of the lanes' work${each}; operators have ${percent(inOperators)} of ${plural(samples, 'sample')}`;
}

function sampleNote(profile: Profile): string {
  const { profiler, rateAsked, rateHeld, lanes, idle, samples, fromSeconds, toSeconds, epoch } = profile;
  const range =
    fromSeconds === undefined && toSeconds === undefined
      ? ''
      : `; ${epoch === undefined ? '' : `epoch ${epoch}: `}from ${seconds(fromSeconds ?? 0)} to ${toSeconds === undefined ? 'the end' : seconds(toSeconds)}`;
  return `${profiler}, ${count(rateHeld)} samples a second and lane held of ${count(rateAsked)} asked; ${plural(lanes, 'lane')}, idle in ${percent(idle / Math.max(1, idle + samples))} of all${range}`;
}

/** To a millisecond. */
const seconds = (some: number): string => `${Number(some.toFixed(3))} s`;

const operatorTable = (operators: readonly ProfiledOperator[]): Block =>
  table(operators, [
    names('operator', ({ label }) => label),
    figures('share', ({ share }) => percent(share)),
    figures('between', ({ band }) => `${percent(band.low)} and ${percent(band.high)}`),
    figures('elements', ({ rows }) => count(rows)),
    figures('an element', ({ nsPerRow }) => preciseTime(nsPerRow)),
    figures('samples', ({ hits }) => count(hits)),
    operators.some(({ source }) => source !== undefined) && optional(names('written at', ({ source }) => source ?? '')),
  ]);

/** What was divided, and how. */
function sharedBlocks({ shared, joint }: Profile): Block[] {
  const words = (groups: Profile['shared']): string =>
    groups.map(({ operators, share }) => `${operators.join(' and ')} share ${percent(share)}`).join('; ');
  return [
    shared.length > 0 &&
      `Code that several operators call, where no stack says for which: ${words(shared)}. It is divided by the engine's timed elements, and the range says how well that is known.`,
    joint.length > 0 &&
      `Lines that compute something for several operators at once: ${words(joint)}. Each has an equal part.`,
  ].flatMap(text => (text === false ? [] : [paragraph(text, 'muted')]));
}

const restTable = (rest: readonly RestRow[]): Block =>
  table(rest, [
    names('what', ({ kind, task }) => (kind === 'engine' ? `engine: ${task ?? ''}` : RUNTIME[kind])),
    figures('share', ({ share }) => percent(share)),
    figures('samples', ({ hits }) => count(hits)),
  ]);

function activityBlocks({ activity }: Profile): Block[] {
  const drawn = activityTable(activity);
  if (drawn === undefined) return [];
  const note = `shares of the samples, ${time(activity.binNs)} a column, from ${time(activity.fromNs)} on`;
  return [heading('Activity over time', note), drawn];
}

const taskTable = (operators: readonly ProfiledOperator[]): Block =>
  table(
    operators.flatMap(({ label, hits, tasks, by }) => {
      const all = by.divided > 0 ? [...tasks, { task: 'shared code', hits: by.divided }] : tasks;
      return all.map((task, at) => ({ ...task, label: at === 0 ? label : '', of: hits }));
    }),
    [
      names('operator', ({ label }) => label),
      names('task', ({ task }) => task),
      figures('of the operator', ({ hits, of }) => percent(hits / of)),
      optional(figures('samples', ({ hits }) => count(hits))),
    ],
  );
