/** The facts of a run that was not really run. */
import { randomUUID } from 'node:crypto';

/** Where virtual time begins, ns. */
export const START = 1e12;

export const facts = (name, graph, host = {}) => ({
  format: 'venturi-run',
  version: 1,
  writer: 'virtual time',
  id: randomUUID(),
  name,
  probe: 'virtual',
  createdAt: '2026-01-01T00:00:00.000Z',
  command: [],
  directory: '',
  pid: 1,
  start: String(START),
  bootId: 'virtual',
  clocks: [],
  graph,
  host: {
    platform: 'virtual',
    arch: '',
    kernel: '',
    cpuModel: '',
    coresPresent: 1,
    coresUsable: 1,
    coresLimit: 'none',
    memoryPresent: 8e9,
    memoryUsable: 8e9,
    memoryLimit: 'none',
    runtime: 'virtual time',
    ...host,
  },
});
