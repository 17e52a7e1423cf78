import { type Ns, ns } from '../model/units.ts';
import { time } from '../report/format.ts';
import type { Definition } from './definition.ts';

export interface Figures {
  /** Number of the element, or of the first of `elements` among which it is; undefined where a source gives no more. */
  readonly element: number | undefined;
  readonly elements: number;
  /** When it began, and how long it went on. */
  readonly since: Ns;
  readonly duration: Ns;
}

/** A function that does not return. Whatever else the recording shows, it shows how the others wait for it. */
export const stuckOperator: Definition<Figures> = {
  alone: true,

  inPipeline({ stuck, durationNs }) {
    const [first] = stuck.toSorted((a, b) => a.since - b.since);
    if (first === undefined) return undefined;
    const { operators, element, elements, since } = first;
    return {
      limits: true,
      operators,
      figures: { element, elements: elements ?? 1, since: ns(since), duration: ns(Math.max(0, durationNs - since)) },
    };
  },

  words({ figures: { element, elements, since, duration }, operators }, { label }) {
    const who = operators.map(label).join(' or ');
    const what =
      element === undefined
        ? 'has given nothing'
        : elements === 1
          ? `has not come back from element ${element}`
          : `has not come back from one of the elements ${element} to ${element + elements - 1}`;
    return {
      text: `${who} is stuck: it ${what} since ${time(since)} after the start, for ${time(duration)}`,
      advice: `Look in ${who} for a loop that does not end or a promise that nothing settles; give what it waits for a limit: AbortSignal.timeout(10_000)`,
    };
  },
};
