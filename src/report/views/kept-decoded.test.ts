import { expect, test } from 'vitest';
import { share } from '../../model/units.ts';
import { operatorRow, summary } from '../../tuning/loader/summary.fixture.ts';
import { keptDecodedBlocks } from './kept-decoded.ts';

const repeated = (until: string, kind: string) => {
  const finding = {
    kind: 'repeated',
    operators: ['train'],
    figures: { until, share: share(0.8), elements: 100 },
    limits: false,
    cause: { type: 'software' },
    fix: { type: 'advice' },
    gain: undefined,
    doubts: [],
  } as const;
  const loader = summary({}, { settings: { dataset: 'ImageFolder' }, operators: [operatorRow(until, kind, 0.8)] });
  return keptDecodedBlocks({ summary: loader, findings: { verdict: finding, others: [finding] } });
};

test('images that PIL decodes in every pass can be kept', () => {
  expect(repeated('decode', 'decode')[0]).toMatchObject({ type: 'heading', text: 'To decode once' });
});

test("neither what another library decodes can, nor an author's own span of that name", () => {
  expect(repeated('imread', 'decode')).toEqual([]);
  expect(repeated('decode', 'span')).toEqual([]);
});
