import type { OpWork, ResourceKind } from '../../../model/step-trace.ts';
import type { ChakraNode } from './node.ts';

/** Where a node runs, and what it does there. */
export interface Unit {
  readonly name: string;
  readonly kind: ResourceKind;
  readonly work: OpWork;
}

/**
 * Operators are on their threads, kernels on their streams. A call of a collective on the host is an operator: the kernel that it launches is a
 * node of its own, and has the size. Traces that do not say what ran on the host have computation and communication alone.
 */
export function unitOf({ type, isOnHost, thread, stream, collective, bytes }: ChakraNode): Unit {
  const isSent = type === 'COMM_COLL' || type === 'COMM_SEND' || type === 'COMM_RECV';
  const hasMessage = collective !== undefined || bytes !== undefined;
  if (isOnHost === true && !(isSent && hasMessage)) {
    return { name: `thread ${thread ?? '0'}`, kind: 'host', work: 'operator' };
  }
  const onStream = stream === undefined ? undefined : `stream ${stream}`;
  if (isSent && (isOnHost !== false || onStream === undefined)) {
    return { name: 'network', kind: 'network', work: 'communication' };
  }
  return { name: onStream ?? 'device', kind: 'device', work: isSent ? 'communication' : (WORK[type] ?? 'other') };
}

const WORK: Readonly<Partial<Record<ChakraNode['type'], OpWork>>> = {
  COMP: 'compute',
  MEM_LOAD: 'copy',
  MEM_STORE: 'copy',
};
