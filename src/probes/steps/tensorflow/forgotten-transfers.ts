import { nodeOf } from './labels.ts';
import { type NodeRun, nodeKey, runEnd, type SessionRun } from './node-run.ts';

/** A transfer that some calls have. */
interface KnownTransfer {
  readonly run: NodeRun;
  calls: number;
}

/**
 * Transfers that calls lack and most others with the same graph have: TensorFlow now and then collects what a process received before all of it is
 * there. Each is put where it must have been, from when its tensor was made to when it was read, with the size it has in the other calls.
 * `received[call]`: tensors of receiving nodes by device and node; the same map for calls of the same graph.
 */
export function forgottenTransfers(
  sessions: readonly SessionRun[],
  received: readonly ReadonlyMap<string, string>[],
): NodeRun[][] {
  const graphs = new Map<ReadonlyMap<string, string>, Map<string, KnownTransfer>>();
  const counts = new Map<ReadonlyMap<string, string>, number>();
  const namesOf = sessions.map(({ runs }, at) => {
    const graph = received[at] ?? new Map();
    counts.set(graph, (counts.get(graph) ?? 0) + 1);
    const known = graphs.get(graph) ?? new Map<string, KnownTransfer>();
    graphs.set(graph, known);
    return noted(runs, known);
  });
  return sessions.map(({ runs }, at) => {
    const graph = received[at] ?? new Map();
    const half = (counts.get(graph) ?? 0) / 2;
    const lacking = [...(graphs.get(graph) ?? [])].filter(([key, { calls }]) => calls > half && !namesOf[at]?.has(key));
    return lacking.length === 0 ? [] : placed(runs, new Map(lacking), graph);
  });
}

/** Notes the named transfers of a call; their keys. */
function noted(runs: readonly NodeRun[], known: Map<string, KnownTransfer>): Set<string> {
  const keys = new Set<string>();
  for (const run of runs) {
    const { transfer, device } = run;
    if (transfer?.kind !== 'receive' || transfer.tensor === undefined || transfer.from === undefined) continue;
    const key = nodeKey(device, transfer.tensor);
    if (keys.has(key)) continue;
    keys.add(key);
    const same = known.get(key);
    if (same === undefined) known.set(key, { run, calls: 1 });
    else same.calls++;
  }
  return keys;
}

function placed(
  runs: readonly NodeRun[],
  lacking: ReadonlyMap<string, KnownTransfer>,
  tensors: ReadonlyMap<string, string>,
): NodeRun[] {
  const made = new Map<string, bigint>();
  const read = new Map<string, bigint>();
  for (const run of runs) {
    if (run.transfer !== undefined) continue;
    keepLeast(made, nodeKey(run.device, run.name), runEnd(run));
    for (const input of run.inputs) {
      const tensor = tensors.get(nodeKey(run.device, nodeOf(input)));
      if (tensor) keepLeast(read, nodeKey(run.device, tensor), run.start);
    }
  }
  return [...lacking].flatMap(([key, { run }]) => {
    const start = made.get(nodeKey(run.transfer?.from ?? '', run.transfer?.producer ?? ''));
    const end = read.get(key);
    if (start === undefined || end === undefined || end < start) return [];
    return [{ ...run, start, duration: Number(end - start), guessed: true }];
  });
}

function keepLeast(times: Map<string, bigint>, key: string, time: bigint): void {
  const known = times.get(key);
  if (known === undefined || time < known) times.set(key, time);
}
