import { entryOf } from '../../../math/groups.ts';
import { partitionPoint } from '../../../math/partition-point.ts';
import type { DependencyCause, DependencyRelation } from '../../../model/step-trace.ts';
import { isStream } from './device.ts';
import { nodeOf, sender, tensorProducer } from './labels.ts';
import { type NodeRun, nodeKey, runEnd } from './node-run.ts';
import { UnnamedTransfers } from './unnamed-transfers.ts';

/** `to` waits for `from`: positions among the executions. */
export interface NodeDependency {
  readonly from: number;
  readonly to: number;
  readonly cause: DependencyCause;
  readonly relation: DependencyRelation;
  readonly guessed: boolean;
}

/** How inputs of nodes found what produced them. */
export interface InputTally {
  inputs: number;
  /** No execution has that name: feeds, constants that were folded, nodes of functions. */
  unknown: number;
  /** It ran only later: the way back of a loop. */
  later: number;
  /** From another device, and no transfer of it was recorded. */
  untransferred: number;
  /** Bound to one of several transfers by the order of their numbers. */
  numberedTransfers: number;
  /** Bound to a transfer by the order of time. */
  guessedTransfers: number;
}

/**
 * What waits for what among the executions of one step, which are in order of start. Labels name the inputs of a node. An input from the same device is
 * the execution of that name. One from another device has the name of a node that receives, which is not recorded itself: the transfer
 * of the tensor that its sender made, into this device, stands for it.
 */
export class NodeDependencies {
  readonly dependencies: NodeDependency[] = [];
  readonly tally: InputTally = {
    inputs: 0,
    unknown: 0,
    later: 0,
    untransferred: 0,
    numberedTransfers: 0,
    guessedTransfers: 0,
  };
  readonly #runs: readonly NodeRun[];
  /** Tensors that receiving nodes stand for, as the graph says, and as their numbers tell. */
  readonly #received: ReadonlyMap<string, string>;
  readonly #concluded: ReadonlyMap<string, string>;
  /** Positions of executions, ascending. */
  readonly #onDevice = new Map<string, number[]>();
  readonly #anywhere = new Map<string, number[]>();
  /** Transfers into a device, or of its process between host and devices, by who made the tensor. */
  readonly #transfers = new Map<string, number[]>();
  /** The same by the name of the tensor. */
  readonly #tensors = new Map<string, number[]>();
  readonly #unnamed: UnnamedTransfers;
  /** Executions that read what an unnamed transfer brought. */
  readonly #waiting: { readonly at: number; readonly key: string; readonly producer: string }[] = [];

  constructor(runs: readonly NodeRun[], received: ReadonlyMap<string, string>, concluded: ReadonlyMap<string, string>) {
    this.#runs = runs;
    this.#received = received;
    this.#concluded = concluded;
    this.#unnamed = new UnnamedTransfers(runs);
    for (const [at, run] of runs.entries()) this.#file(run, at);
    for (const [at, run] of runs.entries()) {
      if (run.transfer !== undefined) this.#waitForProducer(run, at);
      else if (isStream(run.device)) this.#waitForLaunch(run, at);
      else for (const input of run.inputs) this.#waitForInput(run, at, input);
    }
    this.#bindUnnamed();
  }

  #file({ device, name, transfer }: NodeRun, at: number): void {
    if (transfer === undefined) {
      append(this.#onDevice, nodeKey(device, name), at);
      if (!isStream(device)) append(this.#anywhere, name, at);
    } else if (transfer.producer !== undefined) {
      const into = transfer.kind === 'receive' ? (transfer.to ?? device) : '';
      append(this.#transfers, nodeKey(into, transfer.producer), at);
      if (transfer.tensor !== undefined) append(this.#tensors, nodeKey(into, transfer.tensor), at);
    }
  }

  #waitForInput(run: NodeRun, at: number, input: string): void {
    this.tally.inputs++;
    const node = nodeOf(input);
    const here = this.#onDevice.get(nodeKey(run.device, node));
    if (here !== undefined) {
      this.#data(before(here, at), at, here.length > 1);
      return;
    }
    const receiver = nodeKey(run.device, node);
    const told = this.#received.get(receiver);
    const producer = told === undefined ? sender(node) : tensorProducer(told);
    if (producer === node && !this.#anywhere.has(node)) {
      this.tally.unknown++;
      return;
    }
    const transfers = this.#into(run.device, producer, this.#transfers);
    const tensor = told ?? (this.#concluded.get(receiver) || undefined);
    if (transfers === undefined) this.#receiveUnnamed(run, at, producer);
    else if (tensor === undefined) this.#receiveLast(transfers, at);
    else
      this.#receive(
        this.#into(run.device, tensor, this.#tensors),
        at,
        producer,
        told === undefined && transfers.length > 1,
      );
  }

  /** Transfers of a tensor into a device, or between host and devices of a process. */
  #into(device: string, of: string, transfers: ReadonlyMap<string, number[]>): readonly number[] | undefined {
    return transfers.get(nodeKey(device, of)) ?? transfers.get(nodeKey('', of));
  }

  /** From the transfer of a tensor; where it was not recorded, straight from its producer. */
  #receive(transfers: readonly number[] | undefined, at: number, producer: string, isNumbered: boolean): void {
    const from = transfers?.length === 1 ? transfers[0] : before(transfers ?? [], at);
    if (from === undefined) {
      this.#direct(at, producer);
      return;
    }
    if (isNumbered) this.tally.numberedTransfers++;
    this.#add(from, at, 'recv', isNumbered || transfers?.length !== 1);
  }

  /** From the last of all that came from a producer. */
  #receiveLast(transfers: readonly number[], at: number): void {
    const from = transfers.length === 1 ? transfers[0] : before(transfers, at);
    if (from === undefined) {
      this.tally.later++;
      return;
    }
    if (transfers.length > 1) this.tally.guessedTransfers++;
    this.#add(from, at, 'recv', transfers.length > 1);
  }

  #receiveUnnamed(run: NodeRun, at: number, producer: string): void {
    const made = this.#runs[this.#anywhere.get(producer)?.[0] ?? -1];
    const key = made === undefined ? undefined : this.#unnamed.need(run, producer, runEnd(made));
    if (key === undefined) this.#direct(at, producer);
    else this.#waiting.push({ at, key, producer });
  }

  #bindUnnamed(): void {
    const bound = this.#unnamed.bound();
    const sent = new Set<number>();
    for (const { at, key, producer } of this.#waiting) {
      const transfer = bound.get(key);
      if (transfer === undefined) {
        this.#direct(at, producer);
        continue;
      }
      this.tally.guessedTransfers++;
      this.#add(transfer, at, 'recv', true);
      const from = this.#anywhere.get(producer)?.[0];
      if (from !== undefined && !sent.has(transfer)) this.#add(from, transfer, 'data', true);
      sent.add(transfer);
    }
  }

  /** No transfer was recorded: it is taken to be there as soon as it is made. */
  #direct(at: number, producer: string): void {
    const there = this.#anywhere.get(producer);
    if (there === undefined) {
      this.tally.unknown++;
      return;
    }
    const from = before(there, at);
    if (from !== undefined) this.tally.untransferred++;
    this.#data(from, at, true);
  }

  #waitForProducer({ transfer, device }: NodeRun, at: number): void {
    if (transfer?.producer === undefined) return;
    const there =
      transfer.from === undefined ? undefined : this.#onDevice.get(nodeKey(transfer.from, transfer.producer));
    const runs =
      there ?? this.#anywhere.get(transfer.producer) ?? this.#onDevice.get(nodeKey(device, transfer.producer));
    if (runs === undefined) return;
    // Clocks of two hosts may differ, so that the only execution counts whenever it was.
    const from = runs.length === 1 ? runs[0] : before(runs, at);
    if (from !== undefined) this.#add(from, at, 'data', runs.length > 1);
  }

  /** A kernel waits for the start of the node that launched it. */
  #waitForLaunch({ name }: NodeRun, at: number): void {
    const from = before(this.#anywhere.get(name) ?? [], at);
    if (from !== undefined) {
      this.dependencies.push({ from, to: at, cause: 'launch', relation: 'start-start', guessed: false });
    }
  }

  #data(from: number | undefined, to: number, guessed: boolean): void {
    if (from === undefined) this.tally.later++;
    else this.#add(from, to, 'data', guessed);
  }

  #add(from: number, to: number, cause: DependencyCause, guessed: boolean): void {
    this.dependencies.push({ from, to, cause, relation: 'end-start', guessed });
  }
}

const append = (lists: Map<string, number[]>, key: string, at: number): void => {
  entryOf(lists, key, () => []).push(at);
};

/** The last of the ascending positions that is less than `limit`. */
const before = (positions: readonly number[], limit: number): number | undefined =>
  positions[partitionPoint(positions.length, at => (positions[at] ?? 0) < limit) - 1];
