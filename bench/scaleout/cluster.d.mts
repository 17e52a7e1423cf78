import type { ChildProcess } from 'node:child_process';

export interface Trained {
  readonly steps_per_second: number;
  readonly counted_steps: number;
  readonly moments: readonly (readonly number[])[];
  /** Of servers and workers. */
  readonly pids: readonly number[];
}

export class Cluster {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  constructor(python: string, env?: NodeJS.ProcessEnv);
  request(request: object): Promise<unknown>;
  bandwidth(bitsPerSecond: number): Promise<number>;
  train(job: object): Promise<Trained>;
  prepare(job: object): Promise<unknown>;
  close(): Promise<void>;
}
