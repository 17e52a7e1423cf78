import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Host } from '../model/host.ts';
import type { ThreadClock } from '../probes/host/thread-clock.ts';
import type { Check, DoctorEnvironment } from './doctor/check.ts';
import { type CommandOutcome, findOnPath, runCommand } from './doctor/command.ts';
import { doctor } from './doctor.ts';

const GIB = 2 ** 30;
const host: Host = {
  platform: 'linux',
  arch: 'x64',
  kernel: '6.1.0',
  cpuModel: 'Test CPU',
  coresPresent: 8,
  coresUsable: 8,
  coresLimit: 'none',
  memoryPresent: 16 * GIB,
  memoryUsable: 16 * GIB,
  memoryLimit: 'none',
  runtime: 'node 20.19.0',
};
const schedstat: ThreadClock = {
  cpu: 0,
  runnable: 0,
  exact: true,
  source: 'schedstat',
  bytesRead: 0,
  read: () => {},
  close: () => {},
};

const answers = (output: string): CommandOutcome => ({ status: 'answered', output });

/** A machine that has everything. */
const complete: DoctorEnvironment = {
  host,
  nodeVersion: '20.19.0',
  privileged: false,
  temporary: '/tmp',
  read: path => (path === '/proc/sys/kernel/perf_event_paranoid' ? '2\n' : undefined),
  run: async (program, args) => {
    if (program === 'perf') return answers('perf version 6.1');
    return answers(args[0] === '--version' ? 'Python 3.11.7' : 'found 2.5.1');
  },
  find: program => `/usr/bin/${program}`,
  freeSpace: async () => 50 * GIB,
  openClock: () => schedstat,
  openStorage: () => ({ asked: 0, fetched: 0, written: 0, read: () => {}, close: () => {} }),
  importEsbuild: async () => ({ version: '0.28.2' }),
};

async function checked(id: string, over: Partial<DoctorEnvironment>) {
  const { checks } = await doctor({ ...complete, ...over });
  return checks.find(check => check.id === id);
}

const broken = async (): Promise<never> => {
  throw new Error('no binding for this platform\nlong story');
};

describe('doctor', () => {
  it('finds nothing to say against a machine that has everything', async () => {
    const report = await doctor(complete);
    expect(report).toMatchObject({ schemaVersion: 1, host });
    expect(report.checks.filter(check => check.status !== 'ok' || check.remedy !== undefined)).toEqual([]);
    expect(new Set(report.checks.map(check => check.id)).size).toBe(report.checks.length);
    expect(report.checks.find(check => check.id === 'torch')?.detail).toBe('torch 2.5.1');
  });

  it('gives a remedy for everything a bare machine lacks', async () => {
    const { checks } = await doctor({
      ...complete,
      read: () => undefined,
      run: async () => ({ status: 'absent' }),
      find: () => undefined,
      openClock: () => ({ ...schedstat, source: 'wall', exact: false }),
      openStorage: () => undefined,
      importEsbuild: broken,
    });
    const lacking = checks.filter(check => check.status === 'missing');
    expect(lacking.map(check => check.id)).toEqual([
      'thread-clock',
      'thread-storage',
      'typescript',
      'python',
      'torch',
      'tensorflow',
      'perf',
      'browser',
      'java',
      'flink',
    ]);
    for (const check of lacking) expect(check.remedy).toBeTruthy();
    expect(checks.find(check => check.id === 'typescript')?.detail).toBe(
      'esbuild does not load: no binding for this platform',
    );
  });

  it('loses only the line of a check that throws or hangs', async () => {
    const check = (id: string, run: Check['run']): Check => ({ id, title: id, run });
    const { checks } = await doctor(
      complete,
      [
        check('throws', () => {
          throw new Error('boom');
        }),
        check('rejects', broken),
        check('hangs', () => new Promise(() => {})),
        check('fine', () => ({ status: 'ok', detail: 'here' })),
      ],
      20,
    );
    expect(checks.map(({ id, status }) => [id, status])).toEqual([
      ['throws', 'limited'],
      ['rejects', 'limited'],
      ['hangs', 'limited'],
      ['fine', 'ok'],
    ]);
    expect(checks[0]?.detail).toBe('could not be determined: boom');
    expect(checks[2]?.detail).toBe('could not be determined: no answer in 0.02 s');
  });

  it('names what limits the cores', async () => {
    const limited: Host = { ...host, coresUsable: 1.5, coresLimit: 'cgroup-v2' };
    expect(await checked('cores', { host: limited })).toMatchObject({
      status: 'limited',
      detail: '1.5 of 8; limited by a cgroup v2 quota (cpu.max)',
    });
  });

  it.each([
    ['18.20.0', 'limited'],
    ['20.18.3', 'limited'],
    ['20.19.0', 'ok'],
    ['24.2.0', 'ok'],
  ])('judges Node %s: %s', async (nodeVersion, status) => {
    expect((await checked('node', { nodeVersion }))?.status).toBe(status);
  });

  it.each([
    ['3', false, 'limited'],
    ['3', true, 'ok'],
    ['-1', false, 'ok'],
    [undefined, true, 'limited'],
  ])('judges perf at perf_event_paranoid %s, root %s: %s', async (level, privileged, status) => {
    expect((await checked('perf', { privileged, read: () => level }))?.status).toBe(status);
  });

  it('tells a Python without a package from no Python', async () => {
    const without = await checked('torch', { run: async () => answers('absent') });
    expect(without).toMatchObject({ status: 'missing', detail: 'python3 has no package torch' });
    const none = await checked('torch', { run: async () => ({ status: 'absent' }) });
    expect(none).toMatchObject({ status: 'missing', detail: 'python3 is not on PATH' });
  });

  it('warns of a full disk for temporary files', async () => {
    expect(await checked('temporary-space', { freeSpace: async () => GIB / 2 })).toMatchObject({
      status: 'limited',
      detail: '0.5 GiB free in /tmp',
    });
  });

  it('calls a coarse clock limited', async () => {
    const coarse = await checked('thread-clock', { openClock: () => ({ ...schedstat, exact: false }) });
    expect(coarse?.status).toBe('limited');
    expect(coarse?.detail).toContain("as coarse as the scheduler's tick");
  });

  it('examines the machine it runs on without failing', async () => {
    const { checks } = await doctor();
    expect(checks.filter(check => check.detail.startsWith('could not be determined'))).toEqual([]);
    expect(checks.filter(check => ['node', 'shared-memory', 'typescript'].includes(check.id))).toMatchObject([
      { status: 'ok' },
      { status: 'ok' },
      { status: 'ok' },
    ]);
  });
});

describe('commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'venturi-path-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are told apart by how they end', async () => {
    expect(await runCommand(process.execPath, ['-p', '6 * 7'])).toEqual({ status: 'answered', output: '42' });
    expect(await runCommand('venturi-no-such-program', [])).toEqual({ status: 'absent' });
    expect(await runCommand(process.execPath, ['-e', 'console.error("out of order"); process.exit(3)'])).toEqual({
      status: 'failed',
      reason: 'out of order',
    });
  });

  it.skipIf(process.platform === 'win32')('are found on PATH only if they can be executed', () => {
    writeFileSync(join(folder, 'tool'), '', { mode: 0o755 });
    writeFileSync(join(folder, 'notes'), '', { mode: 0o644 });
    expect(findOnPath('tool', `/nowhere:${folder}`)).toBe(join(folder, 'tool'));
    expect(findOnPath('notes', folder)).toBeUndefined();
    expect(findOnPath('tool', '')).toBeUndefined();
  });
});
