import type { DiskCurve } from '../../src/model/disk.ts';
import { bytes, bytesPerSecond, cores, ns } from '../../src/model/units.ts';
import type { CostBasis } from '../../src/prediction/cost/basis.ts';
import type { WhatIf } from '../../src/prediction/cost/resources.ts';
import { byteRate, byteSize, coreCount, time } from '../../src/report/format.ts';

export type Resource = 'cores' | 'memory' | 'disk' | 'network' | 'step';

/** A resource that can be set to one of some values; the first position is as recorded. */
export interface Slider {
  readonly resource: Resource;
  readonly label: string;
  readonly recorded: string;
  readonly values: readonly number[];
  /** A value in words, and as `venturi predict` takes it. */
  readonly words: (value: number) => string;
  readonly option: (value: number) => string;
}

/** Positions by resource: 0 is as recorded, n the n-th value. */
export type Positions = Readonly<Partial<Record<Resource, number>>>;

/** Round numbers: ten of them in each power of ten. */
const ROUND = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8] as const;

const rounds = (least: number, powers: number): number[] =>
  Array.from({ length: powers }, (_, power) =>
    ROUND.map(each => (Math.round(each * 10) * least * 10 ** power) / 10),
  ).flat();

const MOST_CORES = 128;
const CORES = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, MOST_CORES];
const MEGABYTE = 1e6;
const MICROSECOND = 1000;

const megabytes = (value: number): string => `${value / MEGABYTE}MB`;

/** What the recording lets one ask: memory where something could be cached, a network where it received anything, a step where somebody consumes. */
export function slidersOf({ model, memoryUsable, caches, received }: CostBasis): Slider[] {
  const usesStorage = model.operators.some(({ asked }) => asked > 0);
  return [
    {
      resource: 'cores',
      label: 'Cores',
      recorded: coreCount(model.cores),
      values: CORES,
      words: coreCount,
      option: value => `--cores ${value}`,
    },
    ...(caches.length === 0
      ? []
      : [
          {
            resource: 'memory' as const,
            label: 'Memory for caches',
            recorded: byteSize(memoryUsable),
            values: rounds(MEGABYTE, 7),
            words: byteSize,
            option: (value: number) => `--memory ${megabytes(value)}`,
          },
        ]),
    ...(usesStorage
      ? [
          {
            resource: 'disk' as const,
            label: 'Storage bandwidth',
            recorded: model.storage === undefined ? 'keeps up' : byteRate(model.storage),
            values: rounds(MEGABYTE, 5),
            words: byteRate,
            option: (value: number) => `--disk ${megabytes(value)}/s`,
          },
        ]
      : []),
    ...(received > 0
      ? [
          {
            resource: 'network' as const,
            label: 'Network bandwidth',
            recorded: 'keeps up',
            values: rounds(MEGABYTE, 5),
            words: byteRate,
            option: (value: number) => `--network ${megabytes(value)}/s`,
          },
        ]
      : []),
    ...(model.consumer === undefined
      ? []
      : [
          {
            resource: 'step' as const,
            label: 'Time of a model step',
            recorded: time((model.consumer.step.estimate / model.consumer.visits) * 1e9),
            values: rounds(MICROSECOND, 7),
            words: time,
            option: (value: number) => `--step ${value / MICROSECOND}us`,
          },
        ]),
  ];
}

/** The value of a slider's position; undefined: as recorded. */
export const valueAt = ({ values }: Slider, position = 0): number | undefined => values[position - 1];

const readAt = (bytesEachSecond: number): DiskCurve => ({
  points: [{ readers: 1, bytesPerSecond: bytesEachSecond }],
  cold: true,
});

/** What `venturi predict` is asked with the same options. */
export function whatIfOf(sliders: readonly Slider[], positions: Positions): WhatIf {
  const at = (resource: Resource): number | undefined => {
    const slider = sliders.find(each => each.resource === resource);
    return slider && valueAt(slider, positions[resource]);
  };
  const [core, memory, disk, network, step] = (['cores', 'memory', 'disk', 'network', 'step'] as const).map(at);
  return {
    ...(core === undefined ? {} : { cores: cores(core) }),
    ...(memory === undefined ? {} : { memory: bytes(memory) }),
    ...(disk === undefined ? {} : { disk: readAt(disk) }),
    ...(network === undefined ? {} : { network: bytesPerSecond(network) }),
    ...(step === undefined ? {} : { step: ns(step) }),
  };
}

/** The command that prints the same. */
export const commandOf = (run: string, sliders: readonly Slider[], positions: Positions): string =>
  [
    `venturi predict ${run}`,
    ...sliders.flatMap(slider => {
      const value = valueAt(slider, positions[slider.resource]);
      return value === undefined ? [] : [slider.option(value)];
    }),
  ].join(' ');
