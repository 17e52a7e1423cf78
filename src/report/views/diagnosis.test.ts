import { describe, expect, test } from 'vitest';
import { analyse, graphOf, operator, SECOND, type SteadyLane, states } from '../../analysis/records.fixture.ts';
import { findingsOf } from '../../findings/judge.ts';
import type { PipelineDiagnosis } from '../results/diagnosis.ts';
import { renderText } from '../text.ts';
import { diagnosisReport, runAgain, wordContext } from './diagnosis.ts';

function diagnosisOf(label: string): PipelineDiagnosis {
  const graph = graphOf([
    operator('files', [], { kind: 'files', sequential: true }),
    operator('decode', ['files'], { label }),
  ]);
  const lane = (id: string, running: number, starved: number): SteadyLane => ({
    name: `${id}#0`,
    perSecond: {
      lane: states(running, 0, 0, starved),
      [`stage:${id}`]: { cpu: running * SECOND, chunks: 50 },
      [`operator:${id}`]: { elementsIn: 50, elementsOut: id === 'consumer' ? 0 : 50, bytesOut: 1e6 },
    },
  });
  const lanes = [
    lane('files', 0.05, 0),
    lane('decode', 0.98, 0.02),
    { ...lane('consumer', 0.01, 0.99), name: 'consumer' },
  ];
  const analysis = analyse(graph, lanes, 20);
  const { rates, rows, sizes, states: found } = analysis;
  return {
    schemaVersion: 1,
    name: 'images',
    folder: 'images.venturi',
    complete: true,
    status: 'completed',
    seconds: 20,
    command: ['venturi', 'run', 'images.ts', '--record', 'images'],
    ...findingsOf(analysis),
    rate: rates.rate,
    root: 'batch',
    ends: rates.ends,
    steady: { fromSeconds: 1, toSeconds: 20 },
    cpu: rates.cpu,
    consumer: rates.consumer,
    operators: rates.operators,
    rows: rows.operators,
    stages: rates.stages,
    sizes,
    windowSeconds: found.windowNs / SECOND,
    segments: [],
    graph,
    problems: [],
  };
}

const shown = (diagnosis: PipelineDiagnosis): string =>
  renderText(diagnosisReport(diagnosis, runAgain(diagnosis.command)), { width: 80 });

test('a diagnosis in 80 columns', () => {
  expect(shown(diagnosisOf('decode'))).toMatchInlineSnapshot(`
    "decode limits this pipeline: its 1 lane is busy 98 % of the time, while 1.0 of 4
    cores are; 50.0/s of a possible 192/s (software: no resource is saturated)
    → venturi run images.ts --set decode.parallelism=4 (up to 192/s, 3.8 times as
      fast)

    images: 20 s, steady from 1 s to 20 s · 50.0 elements/s · 1.0 of 4 cores busy ·
    the consumer waits 99 % of its time

    Pipeline  utilisation of each operator's lanes, and throughput
      ● files  ██                                         5.0 %  50.0/s ╶ 1 lane
      │
      ◆ decode ███████████████████████████████████████▎  98.0 %  50.0/s ╶ 1 lane

    Stages  ceiling: throughput if only its lanes limited it; queued: for a core
      stage   lanes   ceiling  running  queued  blocked  starved  back-pressured
      files       1  1.00 k/s    5.0 %   0.0 %    0.0 %    0.0 %          95.0 %
      decode      1    51.0/s   98.0 %   0.0 %    0.0 %    2.0 %          <0.1 %

    Operators  output: an element that leaves the pipeline; visits: elements/output
      operator          visits  CPU/output  CPU/element  rate/core  elements/pass
      files (in order)       1     1.00 ms      1.00 ms   1.00 k/s         1.00 k
      decode                 1     19.6 ms      19.6 ms     51.0/s         1.00 k
      not shown here: cache size
    "
  `);
});

test('hostile names in a recording cannot reach the terminal', () => {
  expect(shown(diagnosisOf('\x1b]0;owned\x07decode\x1b[2J'))).not.toContain('\x1b');
});

describe('the command to run it again', () => {
  test('is the recorded one, without its recording', () => {
    expect(runAgain(['venturi', 'run', 'my images.ts', '--record', 'a', '--param', 'n=2', '--json'])).toBe(
      "venturi run 'my images.ts' --param n=2",
    );
  });

  test('says once what an option is set to', () => {
    const context = wordContext(diagnosisOf('decode'), 'venturi run my.ts --memory 64MB --max-lanes 3');
    expect(context.option?.('--memory 1GB')).toBe('venturi run my.ts --max-lanes 3 --memory 1GB');
    expect(context.option?.('--epochs 2')).toBe('venturi run my.ts --memory 64MB --max-lanes 3 --epochs 2');
  });

  test('is a pattern where another program was recorded', () => {
    expect(runAgain(['node', 'train.js'])).toBe('venturi run PIPELINE');
  });
});
