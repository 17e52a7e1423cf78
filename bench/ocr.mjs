/**
 * The job of the dag-bottlenecks paper in virtual time, at its full 4,000 documents: the narrow place, and time, CPU and cost
 * beside the paper's. Two run times of the paper (1/1/1 and 16/5/1) calibrated the service times; the rest is evidence.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { diagnose } from 'venturi';
import { inFolder } from './harness.mjs';
import { ocrJob } from './virtual/ocr.mjs';
import { recordVirtually } from './virtual/packed.mjs';

const RUNS = [
  { instances: [1, 1, 1], verdict: 'OCR', minutes: 310, cpu: '30-40 %', dollars: 2.4 },
  { instances: [3, 1, 1], verdict: 'OCR' },
  { instances: [4, 1, 1], verdict: 'PDF', minutes: 75, cpu: '70 %' },
  { instances: [16, 4, 1], verdict: 'PDF or reader edge' },
  { instances: [16, 5, 1], verdict: 'reader edge', minutes: 24 },
];
/** The reader and both writers share a machine; every other instance has one. It costs 0.10 USD per hour begun. */
const machines = ([ocr, pdf, index]) => ocr + pdf + index + 1;
const DOLLARS_PER_HOUR = 0.1;

export default async function ocr(report) {
  await inFolder(async folder => {
    for (const { instances, verdict, minutes, cpu, dollars } of RUNS) {
      const [ocr, pdf, index] = instances;
      const path = join(folder, 'ocr.venturi');
      const { seconds, cpuSeconds } = recordVirtually(path, ocrJob({ ocr, pdf, index }));
      const { segments, windowSeconds } = await diagnose(path, { root: 'pdf-writer' });
      rmSync(path, { recursive: true });
      const places = [...new Set(segments.map(({ place }) => place ?? 'none'))];
      const count = machines(instances);
      report({
        case: `ocr/${instances.join('/')}`,
        value: seconds / 60,
        unit: 'minutes',
        verdict: places.join(', '),
        changes: segments.length - 1,
        windowSeconds,
        cpu: `${Math.round((100 * cpuSeconds) / (count * seconds))} %`,
        dollars: count * Math.ceil(seconds / 3600) * DOLLARS_PER_HOUR,
        paper: [
          verdict,
          ...(minutes ? [`${minutes} min`] : []),
          ...(cpu ? [cpu] : []),
          ...(dollars ? [`${dollars} USD`] : []),
        ].join('; '),
      });
    }
  });
}
