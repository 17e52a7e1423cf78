import { z } from 'zod';
import { VenturiError } from './errors.ts';
import {
  DEPENDENCY_CAUSES,
  DEPENDENCY_RELATIONS,
  OP_WORK,
  RESOURCE_KINDS,
  type ResourceKind,
  type StepOps,
  type StepTrace,
} from './step-trace.ts';
import { StepTraceBuilder } from './step-trace-builder.ts';

const position = z.number().int().min(0);
const nanoseconds = z.number().min(-Number.MAX_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);
const size = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
const duration = z.number().min(0).max(Number.MAX_SAFE_INTEGER);

/** A trace of training steps as JSON: `docs/steps.md`. Positions count from 0. */
export const StepTraceSchema = z.object({
  format: z.literal('venturi-steps'),
  version: z.literal(1),
  source: z.string().default('steps'),
  base: z
    .string()
    .regex(/^-?\d+$/)
    .default('0'),
  ranks: z
    .array(
      z.object({
        rank: position,
        name: z.string().optional(),
        process: z.string().optional(),
        worldSize: z.number().int().min(1).optional(),
        device: z.string().optional(),
        clockOffset: nanoseconds.optional(),
      }),
    )
    .default([{ rank: 0 }]),
  resources: z
    .array(
      z.object({
        name: z.string(),
        kind: z.enum(RESOURCE_KINDS),
        rank: position.optional(),
        server: position.optional(),
        device: position.optional(),
        lanes: z.number().int().min(1).optional(),
        ordered: z.boolean().optional(),
      }),
    )
    .min(1),
  steps: z.array(z.object({ rank: position.default(0), number: z.number().int(), start: nanoseconds, duration })),
  ops: z.array(
    z.object({
      name: z.string(),
      work: z.enum(OP_WORK).default('other'),
      resource: position,
      start: nanoseconds,
      duration,
      bytes: size.optional(),
      step: position.optional(),
      parent: position.optional(),
      collective: position.optional(),
      guessed: z.boolean().optional(),
    }),
  ),
  dependencies: z
    .array(
      z.object({
        from: position,
        to: position,
        cause: z.enum(DEPENDENCY_CAUSES).default('given'),
        relation: z.enum(DEPENDENCY_RELATIONS).default('end-start'),
        guessed: z.boolean().default(false),
      }),
    )
    .default([]),
  collectives: z
    .array(
      z.object({
        name: z.string(),
        bytes: size.optional(),
        type: z.string().optional(),
        groupSize: z.number().int().min(1).optional(),
        group: z.string().optional(),
        ranks: z.array(position).optional(),
      }),
    )
    .default([]),
  assumptions: z.array(z.object({ what: z.string(), count: position, of: position })).default([]),
  unmarked: z.object({ candidates: z.array(z.string()) }).optional(),
});
export type StepTraceJson = z.input<typeof StepTraceSchema>;

/** The trace in a parsed JSON document; `file` is its name in errors. */
export function parseStepTrace(document: unknown, file: string): StepTrace {
  const { data, error } = StepTraceSchema.safeParse(document);
  if (data === undefined) {
    const [issue] = error?.issues ?? [];
    throw unreadable(file, `${issue?.path.join('.') || 'the document'}: ${issue?.message ?? 'not as described'}`);
  }
  const { ranks, resources, steps, ops, dependencies, collectives } = data;
  const check = (of: string, at: number, member: string, value: number | undefined, length: number): void => {
    if (value === undefined || value < length) return;
    throw unreadable(file, `${of}.${at}.${member} is ${value}, and there are ${length}`);
  };
  const builder = new StepTraceBuilder();
  for (const rank of ranks) builder.rank({ ...rank, name: rank.name ?? `rank ${rank.rank}` });
  const resourceRanks: (number | undefined)[] = [];
  for (const [at, resource] of resources.entries()) {
    check('resources', at, 'rank', resource.rank, ranks.length);
    if (resource.rank === undefined && ranks.length > 1 && (resource.kind === 'host' || resource.kind === 'device')) {
      throw unreadable(file, `resources.${at}.rank is missing: there are ${ranks.length} ranks, and it is of one`);
    }
    const rank = resource.rank ?? (ranks.length === 1 ? onlyRankOf(resource.kind) : undefined);
    resourceRanks.push(rank);
    builder.resource({ ...resource, rank });
  }
  for (const [at, step] of steps.entries()) {
    check('steps', at, 'rank', step.rank, ranks.length);
    const before = steps[at - 1];
    if (before !== undefined && (step.rank - before.rank || step.start - before.start) < 0) {
      throw unreadable(file, `steps.${at} comes before steps.${at - 1}: they must be in order of rank, then of start`);
    }
    builder.step(step);
  }
  for (const collective of collectives) builder.collective(collective);
  for (const [at, op] of ops.entries()) {
    check('ops', at, 'resource', op.resource, resources.length);
    check('ops', at, 'step', op.step, steps.length);
    check('ops', at, 'parent', op.parent, ops.length);
    check('ops', at, 'collective', op.collective, collectives.length);
    const rank = resourceRanks[op.resource];
    const ofStep = op.step === undefined ? undefined : steps[op.step]?.rank;
    if (rank !== undefined && ofStep !== undefined && rank !== ofStep) {
      throw unreadable(
        file,
        `ops.${at}.step is ${op.step}, one of rank ${ofStep}, and its resource is of rank ${rank}`,
      );
    }
    const parent = op.parent === undefined ? undefined : ops[op.parent];
    if (parent !== undefined && !encloses(parent, op, (op.parent ?? at) < at)) {
      throw unreadable(file, `ops.${at}.parent is ${op.parent}, whose time on the same resource does not hold it`);
    }
    builder.op(op);
  }
  for (const [at, { from, to, cause, relation, guessed }] of dependencies.entries()) {
    check('dependencies', at, 'from', from, ops.length);
    check('dependencies', at, 'to', to, ops.length);
    if (from === to) throw unreadable(file, `dependencies.${at}: op ${from} would wait for itself`);
    builder.dependency(from, to, cause, { relation, guessed });
  }
  for (const { what, count, of } of data.assumptions) builder.assume(what, count, of);
  if (data.unmarked !== undefined) builder.unmarked(data.unmarked.candidates);
  return builder.build(data.source, data.base);
}

/** Threads, streams and links belong to a worker, and to the only one where nothing says to which. A server belongs to none. */
const onlyRankOf = (kind: ResourceKind): number | undefined => (kind === 'server' ? undefined : 0);

type OpTimes = Pick<z.infer<typeof StepTraceSchema>['ops'][number], 'resource' | 'start' | 'duration'>;

/** Of two ops with the same times, the one that is listed first encloses the other. */
const encloses = (outer: OpTimes, inner: OpTimes, isListedFirst: boolean): boolean =>
  outer.resource === inner.resource &&
  outer.start <= inner.start &&
  outer.start + outer.duration >= inner.start + inner.duration &&
  (isListedFirst || outer.duration > inner.duration);

const unreadable = (file: string, why: string): VenturiError =>
  new VenturiError('VENTURI_STEPS_UNREADABLE', `${file} is not a trace of training steps: ${why}.`, {
    remedy: 'docs/steps.md describes the format.',
  });

/** A trace as the JSON document that `parseStepTrace` reads. */
export function stepTraceJson({ ops, dependencies, unmarked, counted, ...trace }: StepTrace): StepTraceJson {
  return {
    format: 'venturi-steps',
    version: 1,
    ...trace,
    ranks: [...trace.ranks],
    resources: [...trace.resources],
    steps: [...trace.steps],
    ops: Array.from({ length: ops.count }, (_, at) => opJson(ops, at)),
    dependencies: Array.from({ length: dependencies.count }, (_, at) => ({
      from: dependencies.from[at] ?? 0,
      to: dependencies.to[at] ?? 0,
      cause: DEPENDENCY_CAUSES[dependencies.cause[at] ?? 0],
      relation: DEPENDENCY_RELATIONS[dependencies.relation[at] ?? 0],
      guessed: dependencies.guessed[at] === 1,
    })),
    collectives: trace.collectives.map(({ ranks, ...collective }) => ({
      ...collective,
      ...(ranks && { ranks: [...ranks] }),
    })),
    assumptions: [...counted],
    ...(unmarked && { unmarked: { candidates: [...unmarked.candidates] } }),
  };
}

function opJson(ops: StepOps, at: number): StepTraceJson['ops'][number] {
  const given = (value: number | undefined): number | undefined =>
    value === undefined || value < 0 || Number.isNaN(value) ? undefined : value;
  return {
    name: ops.names[ops.name[at] ?? 0] ?? '',
    work: OP_WORK[ops.work[at] ?? 0],
    resource: ops.resource[at] ?? 0,
    start: ops.start[at] ?? 0,
    duration: ops.duration[at] ?? 0,
    bytes: given(ops.bytes[at]),
    step: given(ops.step[at]),
    parent: given(ops.parent[at]),
    collective: given(ops.collective[at]),
    guessed: ops.guessed[at] === 1 || undefined,
  };
}
