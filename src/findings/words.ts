import { changesText } from '../model/loader-changes.ts';
import { byteOption, decimal, percent, rate } from '../report/format.ts';
import type { WordContext, Wording } from './definition.ts';
import { type Cause, DOUBTS } from './finding.ts';
import { DEFINITIONS, type Finding, type FindingKind, type FindingOf } from './registry.ts';

/** A finding put into words. */
export interface FindingWords {
  /** What is the matter, with its number. */
  readonly text: string;
  /** What to do about it, and what that gains. */
  readonly fix: string | undefined;
  readonly doubts: readonly string[];
}

const PLAIN: WordContext = {
  label: id => id,
  now: Number.NaN,
  setting: ({ operator, setting, value }) => `--set ${operator}.${setting}=${value}`,
  option: text => text,
};

export function findingWords(finding: Finding, context: WordContext = PLAIN): FindingWords {
  const [first] = finding.operators;
  const name = first === undefined ? 'the pipeline' : context.label(first);
  const { text, advice } = sentence(finding, { ...context, name });
  const cause = causeWords(finding.cause);
  return {
    text: cause === '' || !finding.limits ? text : `${text} (${cause})`,
    fix: fixWords(finding, advice, context),
    doubts: finding.doubts.map(doubt => DOUBTS[doubt]),
  };
}

const sentence = <K extends FindingKind>(finding: FindingOf<K>, wording: Wording) =>
  DEFINITIONS[finding.kind].words(finding, wording);

/** Every verdict says whether a resource is saturated. */
function causeWords(cause: Cause): string {
  switch (cause.type) {
    case 'hardware':
      return `hardware: ${RESOURCES[cause.resource]} is saturated`;
    case 'software':
      return 'software: no resource is saturated';
    case 'none':
      return '';
  }
}

const RESOURCES = {
  cpu: 'the CPU',
  storage: 'storage',
  network: 'the network',
  memory: 'memory',
  accelerator: 'the accelerator',
} as const;

const faster = (factor: number): string =>
  factor < 1.5 ? `${percent(factor - 1)} faster` : `${decimal(Math.round(factor * 10) / 10)} times as fast`;

function fixWords({ fix, gain }: Finding, advice: string | undefined, context: WordContext): string | undefined {
  const on = context.on === undefined ? '' : `on ${context.on}: `;
  const about = gain?.factorBand === undefined ? 'up to' : 'about';
  const worth = gain === undefined ? undefined : `${on}${about} ${rate(gain.rate)}, ${faster(gain.factor)}`;
  // In brackets, so that what stands before them can be copied as it is.
  const bracketed = worth === undefined ? '' : ` (${worth})`;
  switch (fix.type) {
    case 'set':
      return `${context.setting(fix)}${bracketed}`;
    case 'memory':
      return `${context.option(`--memory ${byteOption(fix.bytes)}`)}${advice === undefined ? '' : ` (${advice})`}`;
    case 'arguments':
      return `${fix.loader}: ${changesText(fix.changes)}${bracketed}`;
    case 'record':
      return 'seconds' in fix
        ? `Record longer: --epochs 10, or --for ${fix.seconds}s on a pipeline that repeats`
        : `Record more: venturi record --batches ${fix.batches} -- COMMAND`;
    case 'advice':
      return advice === undefined || worth === undefined ? advice : `${advice}: ${worth}`;
  }
}
