import { expect, test } from 'vitest';
import { metricFamily } from './metric-family.ts';
import { prometheusText } from './prometheus.ts';

const rows = [
  { name: 'decode', value: 1.5 },
  { name: 'a "quoted" \\ name\nin two lines', value: 2e21 },
  { name: 'decode', value: 3 },
  { name: 'unknown', value: undefined },
  { name: 'endless', value: Number.POSITIVE_INFINITY },
];

test('figures with their labels, escaped; a series that would be there twice is numbered', () => {
  const family = metricFamily(
    ['venturi_x_total', 'counter', '1', 'Help\nin two lines.'],
    rows,
    ({ name }) => ({ operator: name }),
    ({ value }) => value,
  );
  const empty = metricFamily(
    ['venturi_none', 'gauge', '1', 'Nothing.'],
    [],
    () => ({}),
    () => 1,
  );
  expect([...prometheusText([family, empty])].join('')).toBe(
    String.raw`# HELP venturi_x_total Help\nin two lines.
# TYPE venturi_x_total counter
venturi_x_total{operator="decode"} 1.5
venturi_x_total{operator="a \"quoted\" \\ name\nin two lines"} 2e+21
venturi_x_total{operator="decode",occurrence="2"} 3
`,
  );
});
