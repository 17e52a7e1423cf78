/**
 * A page while its run goes on. The run is a virtual one that writes its recording as it goes: what is shown is asked at moments of virtual
 * time, so nothing rests on how fast this machine is.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runVirtually, type VirtualDescription } from '../bench/virtual/pipeline.mjs';
import { METRICS } from '../src/model/metric.ts';
import type { LivePipeline } from '../src/report/results/live-run.ts';
import { renderText } from '../src/report/text.ts';
import { Line, VirtualClock } from '../src/simulation/index.ts';
import { createRun, openLane } from '../src/store/index.ts';
import { LivePage } from '../src/workflow/page/live-page.ts';
import { diagnose } from '../src/workflow/targets/engine/diagnose.ts';

const LIBRARY = { VirtualClock, Line, createRun, openLane, METRICS };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'venturi-live-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Shown {
  readonly seconds: number;
  readonly pipeline: LivePipeline;
}

/** Two stages; the work of one becomes that of the other at `moveAt`. */
function play(seconds: number, moveAt: number, look = (_: number): boolean => true): Shown[] {
  let hasMoved = false;
  let page: LivePage | undefined;
  const shown: Shown[] = [];
  const cpu = (before: number, after: number) => () => (hasMoved ? after : before);
  const description: VirtualDescription = {
    name: 'moving',
    seconds,
    cores: 8,
    stages: [
      { id: 'read', lanes: 1, operators: [{ id: 'read', kind: 'files', sequential: true, cpu: 0.0001 }] },
      { id: 'decode', lanes: 2, inputs: ['read'], operators: [{ id: 'decode', cpu: cpu(0.01, 0.002) }] },
      { id: 'resize', lanes: 1, inputs: ['decode'], operators: [{ id: 'resize', cpu: cpu(0.001, 0.008) }] },
    ],
    consumer: { step: 0.0001 },
    onSample: (now: number, path: string) => {
      hasMoved = now >= moveAt;
      if (!look(now)) return;
      page ??= new LivePage(path);
      page.look();
      const section = page.section();
      if (section.kind === 'live' && section.data.pipeline !== undefined) {
        shown.push({ seconds: now, pipeline: section.data.pipeline });
      }
    },
  };
  runVirtually(join(folder, 'moving'), description, LIBRARY);
  return shown;
}

describe('a page of a run that goes on', () => {
  it('shows a bottleneck that moves within two windows', () => {
    const shown = play(40, 20);
    const windows = shown.map(({ pipeline }) => pipeline.windowSeconds);
    const window = Math.max(...windows);
    const at = (from: number, to: number): (string | undefined)[] =>
      shown.filter(({ seconds }) => seconds >= from && seconds < to).map(({ pipeline }) => pipeline.now?.place);
    expect(new Set(at(2 * window + 1, 20))).toEqual(new Set(['vertex:decode']));
    expect(new Set(at(20 + 2 * window, 40))).toEqual(new Set(['vertex:resize']));
    expect(at(20 + 2 * window, 40).length).toBeGreaterThan(20);
  });

  it('tells since when each held, and whether it is chronic or passing', () => {
    const last = play(40, 30).at(-1)?.pipeline;
    expect(last?.held.map(({ place, nature }) => [place, nature])).toEqual([
      ['vertex:decode', 'chronic'],
      ['vertex:resize', 'passing'],
    ]);
    expect(last?.now?.sinceSeconds).toBeGreaterThan(29);
    expect(last?.now?.sinceSeconds).toBeLessThan(33);
    expect(last?.held.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThanOrEqual(40);
  });

  it('shows the CPU of every task over time, their states and rates', () => {
    const last = play(40, 20).at(-1)?.pipeline;
    const curve = (id: string): readonly number[] => last?.cpu.tasks.find(task => task.id === id)?.cores ?? [];
    const bin = (second: number): number => Math.floor(second / (last?.cpu.binSeconds ?? 1));
    expect(curve('decode')[bin(10)]).toBeGreaterThan(1.9);
    expect(curve('decode')[bin(35)]).toBeLessThan(0.6);
    expect(curve('resize')[bin(35)]).toBeGreaterThan(0.95);
    const resize = last?.tasks.find(({ id }) => id === 'resize');
    expect(resize?.states.running).toBeGreaterThan(0.95);
    // An element takes 8 ms.
    expect(resize?.elementsPerSecond).toBeGreaterThan(118);
    expect(resize?.elementsPerSecond).toBeLessThan(132);
    expect(resize?.cores).toBeGreaterThan(0.95);
  });

  it('is told in words as well', () => {
    let text = '';
    let page: LivePage | undefined;
    play(12, 100, now => {
      page = now > 11.9 ? new LivePage(join(folder, 'moving')) : undefined;
      page?.look();
      const style = { width: 100, colour: (_: string, part: string) => part, charset: 'unicode' } as const;
      if (page !== undefined) text = renderText(page.section().blocks, style);
      return false;
    });
    expect(text).toMatch(/decode limits this pipeline now: busy 100 %, since .*; chronic/);
    expect(text).toContain('back-pressured');
  });

  it('knows the past of a run that it did not watch from the beginning', async () => {
    const shown = play(200, 100, now => now >= 199);
    const { segments = [], held = [] } = shown.at(-1)?.pipeline ?? {};
    const longest = held.slice(0, 2);
    expect(longest.map(({ place }) => place).sort()).toEqual(['vertex:decode', 'vertex:resize']);
    for (const { seconds } of longest) expect(seconds).toBeGreaterThan(90);
    const change = segments.find(({ place }) => place === 'vertex:resize')?.fromSeconds;
    const { segments: whole } = await diagnose(join(folder, 'moving'));
    const diagnosed = whole.find(({ place }) => place === 'vertex:resize')?.fromSeconds;
    expect(Math.abs((change ?? 0) - (diagnosed ?? 0))).toBeLessThan(3);
  });
});
