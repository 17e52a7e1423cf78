import type { Command } from 'commander';
import type { RunRequest } from '../workflow/index.ts';
import { parseDuration, parseSize, parseWhole } from './quantities.ts';

/** How a pipeline would run. */
export interface PlanFlags extends Pick<RunRequest, 'plan' | 'cacheFolder' | 'maxLanes' | 'epochs' | 'memory'> {
  readonly set?: readonly string[];
  readonly param?: readonly string[];
}

/** How a pipeline runs, and for how long. */
export interface RunFlags extends PlanFlags, Pick<RunRequest, 'seed'> {
  readonly for?: number;
}

/** Of an option that can be given several times. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

export const withPlanOptions = (verb: Command): Command =>
  verb
    .option('--set <setting>', 'set an operator: decode.parallelism=4 (repeatable)', collect)
    .option('--plan <file>', 'carry out a plan of `venturi tune`; --set comes after it')
    .option('--cache-folder <folder>', 'where the plan may keep elements on disk; elsewhere it is refused')
    .option('--max-lanes <n>', 'threads that the plan may ask for; by cores and memory unless given', text =>
      parseWhole('--max-lanes', text, 1),
    )
    .option('--param <key=value>', 'set a parameter of the pipeline (repeatable)', collect)
    .option('--epochs <n>', 'run the whole pipeline this many times', text => parseWhole('--epochs', text, 1))
    .option('--memory <size>', 'memory for elements in flight: 256MB, 2GiB; 512 MiB for each core unless given', text =>
      parseSize('--memory', text),
    );

export const withRunOptions = (verb: Command): Command =>
  withPlanOptions(verb)
    .option('--for <time>', 'stop after this long: 500ms, 10s, 2m', text => parseDuration('--for', text))
    .option('--seed <n>', 'seed of all random numbers', text => parseWhole('--seed', text, 0));
