/** One execution of a node of TensorFlow's graph, as RunMetadata or a timeline has it. */
export interface NodeRun {
  /** As TensorFlow writes it: `/job:worker/replica:0/task:0/device:CPU:0`. */
  readonly device: string;
  readonly name: string;
  /** Type of the node: `MatMul`. */
  readonly op: string;
  /** Names of the nodes whose outputs it reads, as the graph has them: `^` before control inputs, `:1` behind those of another slot. */
  readonly inputs: readonly string[];
  /** ns on the clock of its host. */
  readonly start: bigint;
  /** ns. */
  readonly duration: number;
  /** Bytes that it moves or received, where it is a transfer and the trace says. */
  readonly bytes?: number | undefined;
  readonly transfer?: Transfer | undefined;
  /** Its times were concluded from those of other executions. */
  readonly guessed?: boolean | undefined;
}

/** A tensor on its way from one device to another. */
export interface Transfer {
  /** `RecvTensor`: between processes. `copy`: between the host and a device, or two devices, of one process. */
  readonly kind: 'receive' | 'copy';
  /** Node that made the tensor; absent where the trace does not say. */
  readonly producer?: string | undefined;
  /** Name of the tensor in the rendezvous: `edge_12_MatMul/ReadVariableOp`. */
  readonly tensor?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** All executions of one call of Session.run: a step. */
export interface SessionRun {
  /** Of the file. */
  readonly file: string;
  readonly runs: readonly NodeRun[];
  /** For nodes that receive a tensor, by device and name, the tensor's name: where the trace has the graphs of the devices. */
  readonly received?: ReadonlyMap<string, string> | undefined;
}

/** Key of a node on a device. */
export const nodeKey = (device: string, name: string): string => `${device} ${name}`;

/** ns on the clock of its host. */
export const runEnd = ({ start, duration }: NodeRun): bigint => start + BigInt(Math.max(0, Math.round(duration)));

/** Name of a transfer of what a node made. */
export const receivedName = (producer: string): string => `RecvTensor ${producer}`;
