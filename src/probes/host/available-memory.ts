import os from 'node:os';
import { memoryLeft } from './cgroup.ts';
import { parseMemoryAvailable } from './host-sampler.ts';
import { readText, type TextReader } from './text-reader.ts';

/** Bytes that this process can still have without swapping, and within the limits of its control groups. */
export function availableMemory(read: TextReader = readText, free: () => number = os.freemem): number {
  const ofMachine = parseMemoryAvailable(read('/proc/meminfo') ?? '') ?? free();
  return Math.min(ofMachine, memoryLeft(read)?.value ?? Number.POSITIVE_INFINITY);
}
