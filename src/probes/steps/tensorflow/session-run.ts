import { NS_PER_MICROSECOND } from '../../../model/units.ts';
import { isStream } from './device.ts';
import { copiedBytes, kernelLabel, opLabel, receiveLabel, tensorProducer } from './labels.ts';
import { type NodeRun, nodeKey, receivedName, type SessionRun } from './node-run.ts';
import type { NodeExecStats, RunMetadata } from './run-metadata.ts';

/** A call of Session.run as its RunMetadata describes it. */
export function sessionRun(file: string, { step_stats: stats, partition_graphs: graphs }: RunMetadata): SessionRun {
  const inputs = new Map<string, readonly string[]>();
  const received = new Map<string, string>();
  for (const { node } of graphs) {
    for (const { name = '', device = '', op, input, attr } of node) {
      inputs.set(nodeKey(device, name), input);
      const tensor = op === '_Recv' ? attr.find(({ key }) => key === 'tensor_name')?.value?.s : undefined;
      if (tensor !== undefined) received.set(nodeKey(device, name), tensor);
    }
  }
  const runs = (stats?.dev_stats ?? []).flatMap(({ device = '', node_stats: nodes }) => {
    const isTraced = isStream(device);
    return nodes.map(node => ({ device, ...interval(node), ...described(node, isTraced, device, inputs) }));
  });
  return { file, runs, received };
}

type Described = Pick<NodeRun, 'name' | 'op' | 'inputs' | 'bytes' | 'transfer'>;

function described(
  { node_name: name = '', timeline_label: label = '', output }: NodeExecStats,
  isTraced: boolean,
  device: string,
  graph: ReadonlyMap<string, readonly string[]>,
): Described {
  if (isTraced) return streamRun(name, label);
  if (name === 'RecvTensor') {
    const { tensor, from, to, bytes } = receiveLabel(label) ?? {};
    const exact = output[0]?.tensor_description?.allocation_description?.requested_bytes;
    const producer = tensor === undefined ? undefined : tensorProducer(tensor);
    return {
      name: producer === undefined ? name : receivedName(producer),
      op: name,
      inputs: [],
      bytes: exact !== undefined && exact >= 0 ? exact : bytes,
      transfer: { kind: 'receive', tensor, producer, from, to },
    };
  }
  const { op = 'unknown', inputs = [] } = opLabel(label) ?? {};
  return { name, op, inputs: graph.get(nodeKey(device, name)) ?? inputs };
}

/** What a profiler saw on a stream of a device: a kernel, or the copy of a tensor. */
export function streamRun(nodeName: string, label: string): Described {
  const { name, op } = kernelLabel(nodeName, label);
  if (!op.startsWith('MEMCPY')) return { name, op, inputs: [] };
  const producer = tensorProducer(name);
  return { name, op, inputs: [], bytes: copiedBytes(label), transfer: { kind: 'copy', tensor: name, producer } };
}

/** In nanoseconds where the version of TensorFlow kept them: those of RecvTensor are microseconds always. */
function interval(node: NodeExecStats): Pick<NodeRun, 'start' | 'duration'> {
  const nanos = node.all_start_nanos;
  if (nanos !== undefined && nanos !== 0n) return { start: nanos, duration: node.all_end_rel_nanos ?? 0 };
  return {
    start: (node.all_start_micros ?? 0n) * BigInt(NS_PER_MICROSECOND),
    duration: (node.all_end_rel_micros ?? 0) * NS_PER_MICROSECOND,
  };
}
