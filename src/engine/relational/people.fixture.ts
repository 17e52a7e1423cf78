import { dayOf, table } from './table.ts';

export const people = table('people', {
  name: ['Ann', 'Bob'],
  age: Float64Array.of(30, 0),
  born: { type: 'date', data: Int32Array.of(dayOf('1990-02-28'), dayOf('1969-12-31')) },
});
