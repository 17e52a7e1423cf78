import { expect, test } from 'vitest';
import { perfFault } from './perf-fault.ts';

/** What perf says for itself, and what the user is told to do. */
test.each([
  ['Error:\nAccess to performance monitoring and observability operations is limited.', 'perf_event_paranoid'],
  ['perf_event_open(...) failed: Operation not permitted', 'cap-add'],
  ["Error: unknown option `control'", 'perf 5.10'],
  ["event syntax error: 'nonsense'\n parser error", '--perf-events'],
  ['The cycles event is not supported.', '--perf-events'],
  ['something else', 'perf record -e cpu-clock'],
])('of %j it makes a remedy', (said, remedy) => {
  const fault = perfFault(said);
  expect(fault.code).toBe('VENTURI_PERF_UNAVAILABLE');
  expect(fault.message).toMatch(/^No samples were taken: /);
  expect(fault.remedy).toContain(remedy);
});
