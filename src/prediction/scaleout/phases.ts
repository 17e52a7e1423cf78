import { groupedBy } from '../../math/groups.ts';
import type { StepTrace } from '../../model/step-trace.ts';
import { NS_PER_SECOND } from '../../model/units.ts';

/** From the first chunk of a phase to its last, s. */
export interface PhaseSpan {
  readonly from: number;
  readonly to: number;
}

/** When a worker's step received, computed, sent and updated: the paper's figures 3a, 4 and 15. */
export interface StepPhases {
  readonly worker: number;
  readonly step: number;
  readonly start: number;
  readonly end: number;
  readonly downlink: PhaseSpan | undefined;
  readonly computation: PhaseSpan | undefined;
  readonly uplink: PhaseSpan | undefined;
  readonly update: PhaseSpan | undefined;
}

const PHASE_OF = {
  downlink: 'downlink',
  device: 'computation',
  host: 'computation',
  uplink: 'uplink',
  server: 'update',
  network: 'uplink',
} as const;

/** Phases of every step of a trace. */
export function phasesOf({ steps, ops, resources }: StepTrace): StepPhases[] {
  const spans: Partial<Record<keyof StepPhases, { from: number; to: number }>>[] = steps.map(() => ({}));
  for (let op = 0; op < ops.count; op++) {
    const own = spans[ops.step[op] ?? -1];
    const kind = resources[ops.resource[op] ?? 0]?.kind;
    if (own === undefined || kind === undefined) continue;
    const from = (ops.start[op] ?? 0) / NS_PER_SECOND;
    const to = from + (ops.duration[op] ?? 0) / NS_PER_SECOND;
    const span = own[PHASE_OF[kind]];
    own[PHASE_OF[kind]] = { from: Math.min(from, span?.from ?? from), to: Math.max(to, span?.to ?? to) };
  }
  return steps.map(({ rank, number, start, duration }, at) => ({
    worker: rank,
    step: number,
    start: start / NS_PER_SECOND,
    end: (start + duration) / NS_PER_SECOND,
    downlink: spans[at]?.downlink,
    computation: spans[at]?.computation,
    uplink: spans[at]?.uplink,
    update: spans[at]?.update,
  }));
}

/** How much in step workers were at a moment: 1 where all are at the same point of their steps, 0 where they are spread evenly. */
export interface Synchrony {
  readonly moment: number;
  readonly order: number;
}

/**
 * Synchrony over time (figures 15 and 16): each time the first worker ends a step, the length of the mean of all workers' phases as points of a circle (Kuramoto's order
 * parameter). A phase is the part of its step that a worker has behind it.
 */
export function synchronyOf(phases: readonly StepPhases[]): Synchrony[] {
  const workers = groupedBy(phases, ({ worker }) => worker);
  const others = [...workers.values()];
  const ends = (workers.get(0) ?? []).map(({ end }) => end);
  return ends.flatMap(moment => {
    const running = others.map(steps => steps.find(({ start, end }) => start <= moment && moment < end));
    // The first worker has just ended a step: it is at the beginning of its next.
    const angles = running.flatMap((step, worker) =>
      worker === 0 ? [0] : step === undefined ? [] : [angleOf(step, moment)],
    );
    if (angles.length < others.length) return [];
    const x = angles.reduce((sum, angle) => sum + Math.cos(angle), 0) / angles.length;
    const y = angles.reduce((sum, angle) => sum + Math.sin(angle), 0) / angles.length;
    return [{ moment, order: Math.hypot(x, y) }];
  });
}

const angleOf = ({ start, end }: StepPhases, moment: number): number =>
  (2 * Math.PI * (moment - start)) / (end - start);
