import { TRIED } from '../../../report/page/document.ts';
import type { PipelineTuneResult } from '../../../report/results/tuning.ts';
import { shellWord } from '../../../report/shell-word.ts';
import { tuningReport } from '../../../report/views/tuning.ts';
import type { Attendant } from '../../attendant.ts';
import { savePlan } from '../../plan-file.ts';
import type { Tuned, TuneFlags, Tuner } from '../target.ts';
import { type TuneRequest, tune } from './tune.ts';

/** A pipeline is one file. */
export const engineTuner: Tuner = {
  starts: ([file = '', ...others]) => others.length === 0 && /\.[cm]?[jt]s$/.test(file),
  subject: 'a pipeline',
  naming: 'Name a pipeline (a .ts or .js file), or leave the option out.',
  takes: [
    ...(['rounds', 'for', 'untilStable', 'memory', 'target', 'epochs', 'param', 'keep', 'without'] as const),
    ...(['cacheFolder', 'record', 'sideEffects', 'seed', 'root', 'out'] as const),
  ],
  tune: tunePipeline,
};

const DEFAULT_FILE = 'plan.json';

/** Tunes a pipeline and keeps the plan in a file: always where one is named, else where there is something to change. */
export async function tunePipeline(
  [pipeline = '']: readonly string[],
  flags: TuneFlags,
  attendant: Attendant,
  workflow: { readonly tune: typeof tune; readonly savePlan: typeof savePlan } = { tune, savePlan },
): Promise<Tuned> {
  const { for: seconds, param: parameters = [], ...options } = flags;
  const result = await workflow.tune({
    ...options,
    ...{ pipeline, parameters, seconds },
    ...asking(attendant, flags),
    signal: attendant.signal,
    onStep: line => attendant.say(line, 'muted'),
    onProgress: live => attendant.update(live),
  });
  const file = flags.out ?? DEFAULT_FILE;
  const isKept = result.plan.changes.length > 0 && flags.json !== true;
  if (isKept || flags.out !== undefined) workflow.savePlan(file, result.plan);
  const report = () => tuningReport(result, commandFor(pipeline, file, flags, result));
  return {
    result,
    report,
    reached: result.target?.reached !== false,
    section: () => ({ kind: 'tuning', ...TRIED, blocks: report(), data: result }),
    recording: result.before.recording,
  };
}

/** Whoever sits at the terminal is asked whether trials may have the effects of sinks. */
function asking({ ask, say }: Attendant, { json }: TuneFlags): Partial<TuneRequest> {
  if (ask === undefined || json === true) return {};
  return {
    onSideEffects: async operators => {
      const names = operators.map(({ id }) => `'${id}'`).join(', ');
      say(`Tuning runs the pipeline several times, and ${names} would do each time what it does.`);
      const answer = await ask('Go on? [y/N] ').catch(() => '');
      return /^y(es)?$/i.test(answer.trim());
    },
  };
}

/** How the plan is carried out: with the parameters it was made for. What it may keep on disk has to be allowed. */
function commandFor(
  pipeline: string,
  file: string,
  { param = [], epochs, seed }: TuneFlags,
  { plan: { changes } }: PipelineTuneResult,
): string {
  const folder = changes.map(({ action }) => (action.kind === 'cache' ? action.folder : undefined)).find(Boolean);
  const words = [
    ...['venturi', 'run', pipeline],
    ...param.flatMap(each => ['--param', each]),
    ...(epochs === undefined ? [] : ['--epochs', String(epochs)]),
    ...(seed === undefined ? [] : ['--seed', String(seed)]),
    ...['--plan', file],
    ...(folder === undefined ? [] : ['--cache-folder', folder]),
  ];
  return words.map(shellWord).join(' ');
}
