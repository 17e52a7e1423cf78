import { expect, it } from 'vitest';
import { StepTraceBuilder } from './step-trace-builder.ts';

it('tells what was assumed of all that was looked at, in whichever file, and nothing that never was', () => {
  const builder = new StepTraceBuilder();
  builder.assume('sizes guessed', 0, 100);
  builder.assume('sizes guessed', 3, 100);
  builder.assume('times guessed', 0, 5);
  expect(builder.build('test', '0').assumptions).toEqual([{ what: 'sizes guessed', count: 3, of: 200 }]);
});
