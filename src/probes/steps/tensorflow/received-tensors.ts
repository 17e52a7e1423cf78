import { entryOf } from '../../../math/groups.ts';
import { isStream } from './device.ts';
import { nodeOf, sender } from './labels.ts';
import { nodeKey, type SessionRun } from './node-run.ts';

/** Names in which the number that TensorFlow gave says their order. */
type Numbered = Map<string, number>;

/**
 * Which tensor a receiving node stands for, by device and node, where a node has several outputs that go to one device. TensorFlow numbers the edges it cuts
 * (`edge_41_grads`) and the nodes that receive (`grads_S13`) as it goes through the graph: in the order of their numbers they belong together.
 * Some calls lack transfers, since TensorFlow forgets some: so each call has what can be concluded from all with the same devices.
 */
export function receivedTensors(sessions: readonly SessionRun[]): ReadonlyMap<string, string>[] {
  const groups = new Map<string, Map<string, string>>();
  return sessions.map(session => {
    const key = [...new Set(session.runs.map(({ device }) => device))].sort().join(' ');
    const known = groups.get(key) ?? new Map<string, string>();
    groups.set(key, known);
    conclude(session, known);
    return known;
  });
}

function conclude({ runs }: SessionRun, known: Map<string, string>): void {
  const local = new Set(runs.map(({ device, name }) => nodeKey(device, name)));
  const receivers = new Map<string, Numbered>();
  const tensors = new Map<string, Numbered>();
  for (const { device, inputs, transfer } of runs) {
    if (transfer?.kind === 'receive' && transfer.producer !== undefined && transfer.tensor !== undefined) {
      add(tensors, nodeKey(transfer.to ?? device, transfer.producer), transfer.tensor, edgeNumber(transfer.tensor));
    }
    if (isStream(device)) continue;
    for (const input of inputs) {
      const node = nodeOf(input);
      if (local.has(nodeKey(device, node))) continue;
      add(receivers, nodeKey(device, sender(node)), nodeKey(device, node), lastNumber(node));
    }
  }
  for (const [key, numbered] of tensors) {
    const nodes = receivers.get(key);
    if (nodes?.size !== numbered.size) continue;
    const [ordered, sent] = [inOrder(nodes), inOrder(numbered)];
    for (const [at, node] of ordered.entries()) {
      // Where two calls tell different things, they ran different graphs: neither is believed.
      const tensor = sent[at] ?? '';
      known.set(node, (known.get(node) ?? tensor) === tensor ? tensor : '');
    }
  }
}

const add = (lists: Map<string, Numbered>, key: string, name: string, number: number): void => {
  entryOf(lists, key, () => new Map()).set(name, number);
};

const inOrder = (numbered: Numbered): string[] => [...numbered].sort(([, a], [, b]) => a - b).map(([name]) => name);

/** 41 of `edge_41_grads`. */
const edgeNumber = (tensor: string): number => Number(/^edge_(\d{1,10})_/.exec(tensor)?.[1] ?? -1);
/** 13 of `grads_S13` and of `grads/_13`. */
const lastNumber = (node: string): number => Number(/(\d{1,10})$/.exec(node.slice(-11))?.[1] ?? -1);
