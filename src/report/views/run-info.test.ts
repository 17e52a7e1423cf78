import { describe, expect, test } from 'vitest';
import { ns } from '../../model/units.ts';
import { imagesInfo } from '../results/run-info.fixture.ts';
import type { RunInfo } from '../results/run-info.ts';
import { renderText } from '../text.ts';
import { headline, runInfoReport, runSummaryReport } from './run-info.ts';

const shown = (info: RunInfo): string => renderText(runInfoReport(info), { width: 80 });

test('a run in 80 columns', () => {
  expect(shown(imagesInfo)).toMatchInlineSnapshot(`
    "images: 200 elements in 3.2 s, 62.5/s, 1.9 of 2 cores busy; decode takes 71 % of
    the CPU

    recorded 2026-03-01 10:20 UTC · node 20.19.0 · 2 of 4 cores · Fast CPU · venturi
    run images.ts

    Pipeline  share of the CPU, and throughput
      ● files  ▏                                          0.3 %  62.5/s ╶ 1 lane
      │ 7.4 of 8 queued, full 88 % of the time
      ● read   ███▋                                       9.2 %  62.5/s ╮ 2 lanes
      ◆ decode ████████████████████████████▍             71.0 %  62.5/s │
      ● resize ██████▏                                   15.2 %  62.5/s ╯

    Operators  CPU inside a fused stage is estimated; ± is its 95 % interval
      operator            CPU  cores  throughput                main wait  out   in
      files           20.0 ms   0.01      62.5/s      back-pressured 93 %  200  200
      read        550 ± 40 ms    0.2      62.5/s                           200  200
      decode    4.26 ± 0.09 s    1.3      62.5/s                           200  200
      resize      910 ± 50 ms    0.3      62.5/s  queued for a core 6.0 %  200  200
      not shown here: bytes out

    Lanes  states of each thread, as shares of its wall time; queued: for a core
      lane      wall  running  queued  blocked  starved  back-pressured  overhead
      files   3.20 s    0.9 %   0.0 %    6.3 %    0.0 %          92.8 %     0.3 %
      read#0  3.20 s   90.6 %   6.3 %    3.1 %    0.0 %           0.0 %     3.8 %
      not shown here: requested, device

    Channels  chunks queued between stages
      channel       mean  max  slots    full
      files → read   7.4    8      8  88.0 %

    Totals
      CPU in lanes                6.00 s  1.9 cores
      engine overhead             260 ms  4.3 % of the CPU in lanes
      process CPU outside lanes   100 ms  garbage collector, compiler, main thread
      peak memory                 180 MB
      bytes requested            48.0 MB  by read calls of the process
      bytes from device          6.00 MB  the rest came from the page cache
      machine busy                7.00 s  2.2 cores of 4, other programs included
    "
  `);
});

test('the end of a run shows the headline and the operators alone', () => {
  expect(renderText(runSummaryReport(imagesInfo), { width: 80 })).toMatchInlineSnapshot(`
    "images: 200 elements in 3.2 s, 62.5/s, 1.9 of 2 cores busy; decode takes 71 % of
    the CPU

      operator            CPU  cores  throughput                main wait  out   in
      files           20.0 ms   0.01      62.5/s      back-pressured 93 %  200  200
      read        550 ± 40 ms    0.2      62.5/s                           200  200
      decode    4.26 ± 0.09 s    1.3      62.5/s                           200  200
      resize      910 ± 50 ms    0.3      62.5/s  queued for a core 6.0 %  200  200
      not shown here: bytes out
    "
  `);
});

describe('what a reader must know first', () => {
  test('an incomplete run is called so in line one and explained', () => {
    const problems = [{ code: 'VENTURI_WARN_LANE_UNCLOSED', message: '1 of 3 lanes was not closed' }] as const;
    const cut = { ...imagesInfo, complete: false, status: 'incomplete', problems };
    expect(headline(cut)).toMatch(/^images \(incomplete\): /);
    expect(shown(cut)).toContain('This run is incomplete');
    expect(shown(cut)).toContain('! 1 of 3 lanes was not closed');
  });

  test('a failed run names its error', () => {
    const error = { code: 'VENTURI_USER_FUNCTION', message: 'decode threw: no such marker' };
    const outcome = { status: 'failed' as const, endedAt: '', monotonic: '2', warnings: [], error };
    const failed = { ...imagesInfo, status: 'failed', manifest: { ...imagesInfo.manifest, outcome } };
    expect(shown(failed)).toContain('It failed with VENTURI_USER_FUNCTION: decode threw: no such marker');
  });

  test('a short run is called short, with the flag that helps', () => {
    expect(shown({ ...imagesInfo, seconds: 0.4 })).toMatch(/This run is short \(400 ms\).*--epochs/s);
    expect(shown(imagesInfo)).not.toContain('short');
  });

  test('rough shares are called rough', () => {
    const operators = imagesInfo.operators.map(row => ({ ...row, cpuIntervalNs: [ns(0), ns(row.cpuNs * 2)] as const }));
    expect(shown({ ...imagesInfo, operators })).toContain('shares inside a stage are rough');
  });

  test('a run without anything in it says how to get one', () => {
    const { graph: _, ...manifest } = imagesInfo.manifest;
    const empty = { ...imagesInfo, manifest, operators: [], lanesRows: [], channels: [] };
    expect(shown(empty)).toContain('No operator was recorded.');
  });
});

test('the engine’s own cost and the CPU outside lanes are always shown', () => {
  const { outsideLanesCpu: _, processCpu: __, ...rest } = imagesInfo.totals;
  const totals = { ...rest, outsideLanesCpu: undefined, processCpu: undefined };
  expect(shown({ ...imagesInfo, totals })).toMatch(/engine overhead +260 ms[\s\S]*process CPU outside lanes +unknown/);
});

test('several hosts are counted together', () => {
  const { manifest } = imagesInfo;
  const cluster = { ...imagesInfo, manifest: { ...manifest, hosts: [manifest.host, manifest.host, manifest.host] } };
  const { coresUsable, coresPresent } = manifest.host;
  expect(headline(cluster)).toContain(`of ${3 * coresUsable} cores busy`);
  expect(shown(cluster)).toMatch(new RegExp(`· 3 hosts\\s·\\s${3 * coresUsable} of ${3 * coresPresent} cores`));
});

test('hostile names in a recording cannot reach the terminal', () => {
  const operators = imagesInfo.operators.map(row => ({ ...row, label: `\x1b]0;owned\x07${row.label}\x1b[2J` }));
  const problems = [{ code: 'VENTURI_WARN_RUN', message: 'bad\x1b[1A' }] as const;
  const hostile = { ...imagesInfo, name: 'im\x1b[31mages', operators, problems };
  expect(shown(hostile)).not.toContain('\x1b');
  expect(shown(hostile)).toMatch(/^images: /);
});

test('who drew random numbers is told, and whether the seed can repeat them', () => {
  expect(shown(imagesInfo)).not.toContain('random numbers');
  const drawn = (keyed: number, ambient: number) =>
    shown({
      ...imagesInfo,
      operators: imagesInfo.operators.map(row => ({
        ...row,
        keyedDraws: row.id === 'read' ? keyed : 0,
        ambientDraws: row.id === 'resize' ? ambient : 0,
      })),
    });
  expect(drawn(0, 0)).toMatch(/random numbers +none drawn/);
  expect(drawn(5, 0)).toMatch(/random numbers +5 +read by the seed\n/);
  expect(drawn(5, 2)).toMatch(/random numbers +7 +read by the seed, resize outside the seed\n/);
});
