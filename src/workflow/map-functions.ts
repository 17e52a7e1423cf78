import { captureProbability, runsFor, shortestCaptured } from '../analysis/attribution/capture.ts';
import { FunctionMap, type FunctionUse, mapTable, type SplitRule } from '../analysis/attribution/function-map.ts';
import type { Reason } from '../analysis/attribution/span-meaning.ts';
import { operatorElapsed } from '../analysis/batches/operator-elapsed.ts';
import { readRegularText } from '../files/regular-file.ts';
import { VenturiError } from '../model/errors.ts';
import type { FunctionTable } from '../model/function-table.ts';
import { NS_PER_SECOND } from '../model/units.ts';
import { parseFunctionTable } from '../probes/samples/function-table.ts';
import type { CaptureRow, FunctionMapping } from '../report/results/function-mapping.ts';
import { runInfo } from './info.ts';
import { runSamples } from './samples.ts';

export interface MapRequest {
  /** Recordings of the program: with samples they say which function serves which operator, without them how long operators take. */
  readonly runs: readonly string[];
  /** Tables of one operator run by itself, over and over: Lotus's way. */
  readonly isolated?: readonly { readonly operator: string; readonly file: string }[] | undefined;
  /** Totals per function of a whole job, to be divided among operators. */
  readonly table?: string | undefined;
  /** How a function that serves several operators is divided; by samples where there are any. */
  readonly split?: SplitRule | undefined;
  /** ns between two samples of the profiler that made the isolated tables. */
  readonly interval?: number | undefined;
  /** Probability with which a function is to have been captured. */
  readonly confidence?: number | undefined;
}

/** What goes on beside operators as long as a job runs; its start and its end do not weigh. */
const BESIDE: ReadonlySet<Reason> = new Set<Reason>([
  ...(['betweenOperators', 'idle', 'handingOver', 'waiting', 'consuming', 'pinning'] as const),
  ...(['betweenSpans', 'otherThread'] as const),
]);
/** Hotspots of VTune in user mode. */
const DEFAULT_INTERVAL = 1e7;
const DEFAULT_CONFIDENCE = 0.75;

/** Which operators a native function serves, on this machine; and a profiler's totals per function as totals per operator. */
export async function mapFunctions(request: MapRequest): Promise<FunctionMapping> {
  const { isolated = [], confidence = DEFAULT_CONFIDENCE } = request;
  const known = await fromRuns(request.runs);
  const source = isolated.length > 0 ? 'isolated runs' : 'samples';
  const uses = source === 'samples' ? known.uses : fromTables(isolated);
  if (uses.length === 0) {
    throw new VenturiError('VENTURI_RUN_EMPTY', 'Nothing says which functions serve which operators.', {
      remedy:
        'Record the program with samples: venturi record --perf -- COMMAND; or give tables of single operators: ' +
        '--isolated decode=decode.csv',
    });
  }
  const split = request.split ?? (source === 'samples' ? 'samples' : 'elapsed');
  const map = new FunctionMap(uses, split, known.elapsed);
  const needsTimes = split === 'elapsed' && map.functions.some(({ owners }) => owners.length > 1);
  if (needsTimes && known.elapsed.size === 0) {
    throw new VenturiError(
      'VENTURI_USAGE',
      'Functions that serve several operators are divided by their elapsed times.',
      {
        remedy: 'Name a recording of the program that has them: venturi map RUN --isolated …',
      },
    );
  }
  const table = request.table === undefined ? undefined : readTable(request.table);
  return {
    schemaVersion: 1,
    source,
    split,
    confidence,
    capture: captureRows(uses, known, isolated, request.interval ?? DEFAULT_INTERVAL, confidence),
    functions: map.functions,
    ...(table && { table: { metrics: table.metrics, ...mapTable(table, map) } }),
  };
}

interface KnownRuns {
  readonly uses: readonly FunctionUse[];
  readonly elapsed: ReadonlyMap<string, number>;
  /** How often each operator ran while it was watched, and ns that it takes each time. */
  readonly runs: ReadonlyMap<string, number>;
  readonly means: ReadonlyMap<string, number>;
  readonly interval: number | undefined;
}

async function fromRuns(paths: readonly string[]): Promise<KnownRuns> {
  const uses: FunctionUse[] = [];
  const elapsed = new Map<string, number>();
  const runs = new Map<string, number>();
  const means = new Map<string, number>();
  let interval: number | undefined;
  const add = (to: Map<string, number>, key: string, value: number): void =>
    void to.set(key, (to.get(key) ?? 0) + value);
  for (const path of paths) {
    const info = await runInfo(path);
    const samples = info.samples === undefined ? undefined : (await runSamples(path)).samples;
    for (const { operator, symbols } of samples?.operators ?? []) {
      for (const { symbol, module, hits } of symbols) uses.push({ symbol, module, operator, hits });
    }
    for (const { reason, symbols } of samples?.unattributed ?? []) {
      if (!BESIDE.has(reason)) continue;
      for (const { symbol, module, hits } of symbols) uses.push({ symbol, module, operator: undefined, hits });
    }
    if (samples !== undefined && samples.frequency > 0) interval = NS_PER_SECOND / samples.frequency;
    for (const loader of info.batches?.loaders ?? []) {
      for (const row of loader.operators) {
        const own = operatorElapsed(row, loader);
        add(elapsed, row.operator, own);
        // Only what is on a core is sampled: the clock says too much of it.
        const cpu = samples?.operators.find(({ operator }) => operator === row.operator)?.cpu;
        const executions = row.traits.per === 'batch' ? loader.batches : loader.elements;
        means.set(row.operator, cpu === undefined ? own / Math.max(1, executions) : cpu / Math.max(1, row.timed));
        if (samples !== undefined) add(runs, row.operator, row.timed);
      }
    }
  }
  return { uses, elapsed, runs, means, interval };
}

function fromTables(isolated: NonNullable<MapRequest['isolated']>): FunctionUse[] {
  return isolated.flatMap(({ operator, file }) =>
    readTable(file).rows.map(({ symbol, module }) => ({ symbol, module, operator, hits: 1 })),
  );
}

function captureRows(
  uses: readonly FunctionUse[],
  known: KnownRuns,
  isolated: NonNullable<MapRequest['isolated']>,
  isolatedInterval: number,
  confidence: number,
): CaptureRow[] {
  const operators = [...new Set(uses.flatMap(({ operator }) => (operator === undefined ? [] : [operator])))];
  return operators.map(operator => {
    const isIsolated = isolated.length > 0;
    const runs = isIsolated
      ? isolated.filter(one => one.operator === operator).length
      : (known.runs.get(operator) ?? 0);
    const interval = isIsolated ? isolatedInterval : (known.interval ?? Number.NaN);
    const own = uses.filter(use => use.operator === operator);
    const mean = known.means.get(operator);
    return {
      operator,
      runs,
      interval,
      shortest: shortestCaptured(interval, runs, confidence),
      hundredth: mean && captureProbability(mean / 100, interval, runs),
      runsWanted: mean && runsFor(mean / 100, interval, confidence),
      functions: new Set(own.map(({ symbol, module }) => `${symbol}\0${module}`)).size,
      elapsed: known.elapsed.get(operator),
    };
  });
}

/** A row for every function of a large program takes a few MB. */
const MOST_TABLE_BYTES = 256 * 2 ** 20;

function readTable(path: string): FunctionTable {
  let text: string;
  try {
    text = readRegularText(path, MOST_TABLE_BYTES);
  } catch (error) {
    throw new VenturiError('VENTURI_SAMPLES_UNREADABLE', `${path} cannot be read: ${(error as Error).message}.`, {
      remedy: 'Give a table of functions from VTune or AMD uProf.',
    });
  }
  return parseFunctionTable(text, path);
}
