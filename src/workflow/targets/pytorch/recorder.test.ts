import { expect, test } from 'vitest';
import type { Attendant, StopSignal } from '../../attendant.ts';
import { passingSignals } from './recorder.ts';

test.each([
  [false, ['SIGINT', 'SIGTERM']],
  [true, ['SIGTERM']],
])('passes signals on to the program that runs; at a terminal (%s) it has had Ctrl-C already', (isTerminal, passed) => {
  let send = (_: StopSignal): void => undefined;
  const attendant: Partial<Attendant> = {
    isTerminal,
    onSignal: handle => {
      send = handle;
    },
  };
  const received: StopSignal[] = [];
  const passTo = passingSignals(attendant as Attendant);
  send('SIGTERM');
  passTo(() => expect.unreachable());
  passTo(signal => received.push(signal));
  send('SIGINT');
  send('SIGTERM');
  expect(received).toEqual(passed);
});
