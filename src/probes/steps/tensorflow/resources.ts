import type { StepTraceBuilder } from '../../../model/step-trace-builder.ts';
import { type Device, isServerJob, parseDevice } from './device.ts';
import type { NodeRun } from './node-run.ts';

/** Where an execution happens: a resource, and the worker whose step it belongs to; undefined on a server. */
export interface RunPlace {
  readonly resource: number;
  readonly rank: number | undefined;
}

/** A process of the cluster. */
interface Task {
  readonly job: string;
  readonly number: number;
}

/** Resources and workers of a trace. Jobs named `ps` hold parameters; all others are workers, as is every job where there are only such. */
export class TensorFlowResources {
  readonly #builder: StepTraceBuilder;
  /** Position of a worker by its process. */
  readonly #ranks = new Map<string, number>();
  readonly #devices = new Map<string, Device>();
  readonly #resources = new Map<string, RunPlace>();
  readonly #hosts: ReadonlySet<string>;
  readonly #lanes: ReadonlyMap<string, number>;
  readonly #hasServers: boolean;

  /** `hosts`: devices that are the host of an accelerator, or where work is launched alone. `lanes`: executions at a time on a device. */
  constructor(
    builder: StepTraceBuilder,
    runs: Iterable<NodeRun>,
    hosts: ReadonlySet<string>,
    lanes: ReadonlyMap<string, number>,
  ) {
    this.#builder = builder;
    this.#hosts = hosts;
    this.#lanes = lanes;
    const tasks = new Map<string, Task>();
    for (const { device } of runs) {
      const { task, job, taskNumber } = this.#device(device);
      if (task !== undefined) tasks.set(task, { job, number: taskNumber });
    }
    const workers = [...tasks].filter(([, { job }]) => !isServerJob(job));
    this.#hasServers = workers.length > 0 && workers.length < tasks.size;
    const ranked = (workers.length > 0 ? workers : [...tasks]).sort(byJob);
    const numbers = new Set(ranked.map(([, { number }]) => number));
    for (const [at, [task, { number }]] of ranked.entries()) {
      const rank = numbers.size === ranked.length ? number : at;
      this.#ranks.set(task, builder.rank({ rank, name: task }));
    }
    if (ranked.length === 0) this.#ranks.set('', builder.rank({ rank: 0, name: 'this process' }));
  }

  of(run: NodeRun): RunPlace {
    const key = run.transfer?.kind === 'receive' ? `${run.transfer.from ?? '?'} ${run.device}` : run.device;
    const known = this.#resources.get(key);
    if (known !== undefined) return known;
    const place = run.transfer?.kind === 'receive' ? this.#link(run) : this.#unit(run.device);
    this.#resources.set(key, place);
    return place;
  }

  #unit(name: string): RunPlace {
    const device = this.#device(name);
    const rank = this.#rankOf(device);
    const lanes = this.#lanes.get(name);
    if (rank === undefined) {
      return { rank, resource: this.#builder.resource({ name, kind: 'server', server: device.taskNumber, lanes }) };
    }
    const kind = this.#hosts.has(name) ? 'host' : 'device';
    const ordered = device.stream !== undefined || undefined;
    return { rank, resource: this.#builder.resource({ name, kind, rank, device: device.number, lanes, ordered }) };
  }

  #link({ device, transfer }: NodeRun): RunPlace {
    const to = this.#device(device);
    const from = transfer?.from === undefined ? undefined : this.#device(transfer.from);
    const [sender, receiver] = [from && this.#rankOf(from), this.#rankOf(to)];
    const name = `${from?.task ?? 'another process'} to ${to.task ?? device}`;
    const isFromServer = from === undefined ? this.#hasServers && receiver !== undefined : sender === undefined;
    if (receiver !== undefined && isFromServer) {
      const resource = { name, kind: 'downlink', rank: receiver, server: from?.taskNumber } as const;
      return { rank: receiver, resource: this.#builder.resource(resource) };
    }
    if (receiver === undefined && !isFromServer) {
      // A trace that does not say who sent it is of one worker, or of the first as far as anybody knows.
      const rank = sender ?? 0;
      const resource = { name, kind: 'uplink', rank, server: to.taskNumber } as const;
      return { rank, resource: this.#builder.resource(resource) };
    }
    return { rank: receiver, resource: this.#builder.resource({ name, kind: 'network', rank: receiver }) };
  }

  /** Position of a device's worker; undefined where it is a server's. Streams of old versions do not say whose they are: the first worker's. */
  #rankOf({ task }: Device): number | undefined {
    return task === undefined ? 0 : this.#ranks.get(task);
  }

  #device(name: string): Device {
    const known = this.#devices.get(name);
    if (known !== undefined) return known;
    const device = parseDevice(name);
    this.#devices.set(name, device);
    return device;
  }
}

const byJob = ([, a]: [string, Task], [, b]: [string, Task]): number =>
  (a.job < b.job ? -1 : a.job > b.job ? 1 : 0) || a.number - b.number;
