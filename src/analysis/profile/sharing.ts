import type { AttributedSample } from './attributed-samples.ts';
import { type DividedPart, divide, type Weight } from './division.ts';

/** What the run's counters say of an operator. */
export interface CountedOperator {
  readonly id: string;
  readonly label: string;
  /** File, without its folders, and line where it was written. */
  readonly source?: string | undefined;
  /** Elements that entered it; for a source, that left it. */
  readonly rows: number;
  /** CPU by the engine's timed elements, in any unit: only proportions count. */
  readonly timedNs: number;
  /** Its 95 % interval. */
  readonly timedIntervalNs: readonly [number, number];
  /** It shares its loop with others: samples may be off by the skid. */
  readonly isFused: boolean;
}

/** Samples of code that the same operators share. */
interface SharedSamples {
  readonly operators: readonly string[];
  readonly hits: number;
  readonly parts: readonly DividedPart[];
}

const keyOf = (operators: readonly string[]): string => JSON.stringify(operators.toSorted());

/** Code that several operators share, divided among them. */
export class Sharing {
  readonly groups: readonly SharedSamples[];
  readonly #counted: ReadonlyMap<string, CountedOperator>;
  readonly #own = new Map<string, number>();
  /** Samples of queries, by the operator that ran them. */
  readonly #nested = new Map<string, number>();
  /** Samples for one unit of timed elements: samples count time on the clock, timed elements CPU, and only their proportions are compared. */
  readonly #scale: number;

  constructor(samples: readonly AttributedSample[], counted: readonly CountedOperator[]) {
    this.#counted = new Map(counted.map(each => [each.id, each]));
    const shared = new Map<string, { readonly operators: readonly string[]; hits: number }>();
    let inLoops = 0;
    for (const { owner } of samples) {
      if ('line' in owner || owner.kind === 'operator' || owner.kind === 'shared') inLoops++;
      if (owner.kind === 'operator') {
        this.#own.set(owner.operator, (this.#own.get(owner.operator) ?? 0) + 1);
        if (owner.within !== undefined) this.#nested.set(owner.within, (this.#nested.get(owner.within) ?? 0) + 1);
      } else if (owner.kind === 'shared') {
        const key = keyOf(owner.operators);
        const group = shared.get(key) ?? { operators: owner.operators.toSorted(), hits: 0 };
        group.hits++;
        shared.set(key, group);
      }
    }
    const timedNs = counted.reduce((sum, each) => sum + each.timedNs, 0);
    this.#scale = timedNs > 0 ? inLoops / timedNs : 0;
    this.groups = [...shared.values()].map(({ operators, hits }) => ({
      operators,
      hits,
      parts: divide(
        hits,
        operators.map(operator => this.#weightOf(operator)),
      ),
    }));
  }

  #weightOf(operator: string): Weight {
    const { rows = 0, timedIntervalNs: [low, high] = [0, 0] } = this.#counted.get(operator) ?? {};
    return {
      operator,
      hits: this.#own.get(operator) ?? 0,
      timed: this.timedHits(operator),
      timedInterval: [low * this.#scale, high * this.#scale],
      rows,
    };
  }

  /** What an operator took by its timed elements, queries that it ran left out, in samples. */
  timedHits(id: string): number {
    return Math.max(0, (this.#counted.get(id)?.timedNs ?? 0) * this.#scale - (this.#nested.get(id) ?? 0));
  }

  /** The same samples, with an operator for each of those that are shared: every range of time has its part of them. */
  given(samples: readonly AttributedSample[]): readonly AttributedSample[] {
    const groups = new Map(this.groups.map(group => [keyOf(group.operators), { ...group, seen: 0 }]));
    return samples.map(sample => {
      const { owner } = sample;
      const group = owner.kind === 'shared' ? groups.get(keyOf(owner.operators)) : undefined;
      if (group === undefined) return sample;
      const { parts, hits } = group;
      // The golden ratio spreads them evenly, whatever rhythm the samples have.
      let place = ((group.seen++ * GOLDEN) % 1) * hits;
      const part = parts.find(({ hits: own }) => {
        place -= own;
        return place < 0;
      });
      const operator = (part ?? parts.at(-1))?.operator ?? '';
      return { ...sample, owner: { kind: 'operator', operator, task: SHARED_TASK, by: 'stack' } };
    });
  }
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** The task of samples in code that an operator shares with others. */
const SHARED_TASK = 'shared code';
