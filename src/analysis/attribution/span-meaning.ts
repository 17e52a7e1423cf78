import { parseFact } from '../../model/loader-facts.ts';
import { roleOf } from '../batches/fold.ts';

/** Why a sample belongs to no operator. */
export const REASONS = [
  /** Inside a preparation, and between its operators: the loader's own code. */
  'betweenOperators',
  /** In a batch whose elements were not timed one by one, because they are too cheap for it. */
  'untimed',
  'idle',
  'handingOver',
  'waiting',
  'consuming',
  'pinning',
  /** In a recorded thread, after its first span and before its last, and in none. */
  'betweenSpans',
  /** Before the thread's first span: start-up, imports. */
  'before',
  'after',
  /** After the last span of a thread whose recording was cut. */
  'torn',
  /** Another thread of a recorded process: a queue's, a library's. */
  'otherThread',
  'otherProcess',
  /** Outside the run altogether: the samples were taken by another clock, or come from elsewhere. */
  'clock',
  /** No frame of its stack is an operator's code: of samples without thread and time. */
  'noOperatorFrame',
] as const;
export type Reason = (typeof REASONS)[number];

/** Meaning of a span for the samples in it. */
export type SpanMeaning =
  | { readonly type: 'operator'; readonly operator: string; readonly isCollation: boolean }
  | { readonly type: 'preparation' }
  | { readonly type: 'reason'; readonly reason: Reason }
  /** Says nothing: it holds others that do. */
  | { readonly type: 'none' };

const NONE: SpanMeaning = { type: 'none' };

/** Roles of spans outside a preparation. */
const REASON_OF: Partial<Record<ReturnType<typeof roleOf>['type'], Reason>> = {
  idle: 'idle',
  put: 'handingOver',
  pin: 'pinning',
  wait: 'waiting',
  consume: 'consuming',
};

/** Meanings of subjects, by run-wide number, learnt as they turn up. */
export class SpanMeanings {
  readonly #meanings: SpanMeaning[] = [];
  readonly #collations = new Set<string>();

  of(subject: number, subjects: readonly string[]): SpanMeaning {
    for (let number = this.#meanings.length; number < subjects.length; number++) {
      this.#meanings.push(this.#learn(subjects[number] ?? ''));
    }
    const meaning = this.#meanings[subject] ?? NONE;
    return meaning.type === 'operator' && this.#collations.has(meaning.operator)
      ? { ...meaning, isCollation: true }
      : meaning;
  }

  #learn(key: string): SpanMeaning {
    const fact = parseFact(key);
    if (fact !== undefined && 'operator' in fact && fact.traits.per === 'batch') this.#collations.add(fact.operator);
    if (key.startsWith('stage:')) return { type: 'operator', operator: key.slice('stage:'.length), isCollation: false };
    const role = roleOf(key);
    if (role.type === 'operator') return { type: 'operator', operator: role.name, isCollation: false };
    if (role.type === 'prepare') return { type: 'preparation' };
    const reason = REASON_OF[role.type];
    return reason === undefined ? NONE : { type: 'reason', reason };
  }
}
