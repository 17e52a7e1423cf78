import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunInfo } from '../src/workflow/index.ts';
import { SmallDisks, skipLoudly } from './fixtures/small-disks.ts';
import { CLI, pause, Workshop } from './fixtures/workshop.ts';

/** As users start it: in a process of its own that starts another. */
const shop = new Workshop({});

beforeAll(() => {
  shop.pipeline('endless.ts', "range(p.n).map(x => x * 2, { name: 'double', parallelism: 2 })", '', '{ n: 1e15 }');
  shop.pipeline(
    'stuck.ts',
    "range(p.n).map(stick, { name: 'stick', parallelism: 1 })",
    'function stick(x: number): number { while (x >= 0) { /* for ever */ } return x; }',
  );
  // Chunks of a single element: many records in little time.
  shop.pipeline('tiny.ts', 'range(p.n).prefetch(4)', '', '{ n: 30000 }');
});

afterAll(() => shop.remove());

const doubled = (info: RunInfo): number => info.operators.find(({ id }) => id === 'double')?.elementsOut ?? 0;

/** Reads a run under way until `enough` of it was written. */
async function infoWhen(run: string, enough: (info: RunInfo) => boolean): Promise<RunInfo> {
  for (;;) {
    const info = await shop.info(run).catch(() => undefined);
    if (info !== undefined && enough(info)) return info;
    await pause();
  }
}

async function nothingIsLeft(): Promise<void> {
  // The bundler's process ends by itself when its parent is gone, a moment later.
  while (shop.processes().length > 0) await pause();
  expect(shop.leftovers()).toEqual([]);
}

describe('a signal', () => {
  it('ends a recorded run in good order, and until then it can be watched', async () => {
    const started = shop.startVenturi(['run', 'endless.ts', '--record', 'watched', '--json']);
    const first = await infoWhen('watched', info => doubled(info) > 0);
    expect(first).toMatchObject({ complete: false, status: 'incomplete' });
    const second = await infoWhen('watched', info => doubled(info) > doubled(first));
    expect(second.seconds).toBeGreaterThan(first.seconds);
    started.child.kill('SIGINT');
    const { code, stdout, stderr } = await started.finished;
    expect(code).toBe(130);
    expect(stderr).toMatch(/^stopping/m);
    expect(stderr).toMatch(/^interrupted: /m);
    const result = JSON.parse(stdout);
    expect(result.status).toBe('interrupted');
    const last = await shop.info('watched');
    expect(last).toMatchObject({ complete: true, status: 'interrupted', problems: [] });
    expect(doubled(last)).toBeGreaterThanOrEqual(doubled(second));
    expect(result.elements).toBeLessThanOrEqual(doubled(last));
    expect((await shop.venturi('info', 'watched')).stdout).toMatch(/^watched \(interrupted\): /);
    await nothingIsLeft();
  });

  it('saves a run with a checkpoint, and another one goes on from there', async () => {
    shop.pipeline('numbers.ts', 'range(p.n).map(x => x * 2, { parallelism: 2 }).shuffle(100)', '', '{ n: 3_000_000 }');
    const started = shop.startVenturi([
      'run',
      'numbers.ts',
      '--checkpoint',
      'numbers.json',
      '--every',
      '50ms',
      '--json',
    ]);
    while (!existsSync(shop.path('numbers.json'))) await pause();
    started.child.kill('SIGINT');
    const { code, stdout, stderr } = await started.finished;
    expect(code).toBe(130);
    expect(stderr).toMatch(/^to go on from here: venturi run numbers.ts --resume numbers.json/m);
    const resumed = await shop.venturi('run', 'numbers.ts', '--resume', 'numbers.json', '--json');
    expect(resumed.code).toBe(0);
    expect(JSON.parse(stdout).elements + JSON.parse(resumed.stdout).elements).toBe(3_000_000);
    const other = await shop.venturi('run', 'tiny.ts', '--resume', 'numbers.json', '--json');
    expect([other.code, JSON.parse(other.stdout).error.code]).toEqual([2, 'VENTURI_CHECKPOINT_DIFFERS']);
    await nothingIsLeft();
  });

  it('leaves nothing of a file that was being written', async () => {
    mkdirSync(shop.path('files'));
    shop.pipeline('writing.ts', "range(p.n).map(String).writeLines('files/out.txt')", '', '{ n: 1e15 }');
    const started = shop.startVenturi(['run', 'writing.ts']);
    while (readdirSync(shop.path('files')).length === 0) await pause();
    started.child.kill('SIGINT');
    expect((await started.finished).code).toBe(130);
    expect(readdirSync(shop.path('files'))).toEqual([]);
  });

  it('ends a run by SIGTERM with its own code', async () => {
    const started = shop.startVenturi(['run', 'endless.ts', '--record', 'terminated']);
    await infoWhen('terminated', info => doubled(info) > 0);
    started.child.kill('SIGTERM');
    expect((await started.finished).code).toBe(143);
    expect(await shop.info('terminated')).toMatchObject({ complete: true, status: 'interrupted' });
    await nothingIsLeft();
  });

  it('sent to a whole group counts once', async ({ skip }) => {
    if (spawnSync('timeout', ['--version']).status !== 0) skipLoudly(skip, 'signals to a group, for want of timeout');
    const started = shop.start('timeout', ['600', process.execPath, CLI, 'run', 'endless.ts', '--record', 'group']);
    await infoWhen('group', info => doubled(info) > 0);
    started.child.kill('SIGTERM');
    await started.finished;
    await nothingIsLeft();
    expect(await shop.info('group')).toMatchObject({ complete: true, status: 'interrupted' });
  });

  it('given twice leaves at once, whatever the pipeline is doing', async () => {
    const started = shop.startVenturi(['run', 'stuck.ts', '--record', 'stuck']);
    await infoWhen('stuck', info => info.lanes === 4);
    started.child.kill('SIGINT');
    await started.says(/^stopping/m);
    await pause(200);
    started.child.kill('SIGINT');
    const { code, stderr } = await started.finished;
    expect(code).toBe(130);
    // It did not wait for the function: the recording has no final mark.
    expect(stderr).not.toMatch(/^interrupted:/m);
    expect(await shop.info('stuck')).toMatchObject({ complete: false, status: 'incomplete' });
    await nothingIsLeft();
  });

  it('that cannot be caught leaves a recording that can be read', async () => {
    // In one process: it would be started once more otherwise.
    const env = { GLIBC_TUNABLES: 'glibc.malloc.mxfast=0' };
    const started = shop.startVenturi(['run', 'endless.ts', '--record', 'killed'], { env });
    const everywhere = ({ operators }: { operators: readonly { elementsIn: number; elementsOut: number }[] }) =>
      operators.every(({ elementsIn, elementsOut }) => elementsIn > 0 && elementsOut > 0);
    // Each lane writes its counters down by its own clock.
    const seen = await infoWhen('killed', info => doubled(info) > 0 && everywhere(info));
    started.child.kill('SIGKILL');
    expect((await started.finished).code).toBe(137);
    const info = await shop.info('killed');
    expect(info).toMatchObject({ complete: false, status: 'incomplete' });
    expect(info.operators.map(({ id }) => id)).toEqual(['range', 'double']);
    expect(doubled(info)).toBeGreaterThanOrEqual(doubled(seen));
    for (const { elementsIn, elementsOut } of info.operators) {
      expect(elementsIn).toBeGreaterThan(0);
      expect(elementsOut).toBeGreaterThan(0);
    }
    const { code, stdout } = await shop.venturi('info', 'killed');
    expect(stdout).toMatch(/^killed \(incomplete\): /);
    expect(stdout).toMatch(/lanes were not closed in good order/);
    expect(code).toBe(0);
    while (shop.processes().length > 0) await pause();
  });

  it('that cannot be caught also ends the process that was started for the sake of its settings', async ({ skip }) => {
    const before = shop.leftovers();
    const started = shop.startVenturi(['run', 'endless.ts', '--record', 'orphan']);
    await infoWhen('orphan', info => doubled(info) > 0);
    if (shop.processes().length < 2) skipLoudly(skip, 'a restart, for want of the GNU library');
    started.child.kill('SIGKILL');
    while (shop.processes().length > 0) await pause();
    expect(shop.leftovers()).toEqual(before);
    expect(await shop.info('orphan')).toMatchObject({ complete: true, status: 'interrupted' });
  });
});

const disks = new SmallDisks();
afterAll(() => disks.remove());

// Too small for the first segments of the lanes, then large enough for those and little more.
describe.each(['400k', '1000k'])('a disk of %s', size => {
  it('that fills up stops the recording with one warning, and not the run', async ({ skip }) => {
    const disk = `disk-${size}`;
    if (!disks.mount(shop.path(disk), `size=${size}`)) return skipLoudly(skip, 'a full disk: no right to mount one');
    const { code, stdout, stderr } = await shop.venturi('run', 'tiny.ts', '--record', `${disk}/full`, '--json');
    expect(stderr.match(/^warning: .*$/gm)).toEqual([
      expect.stringMatching(/no space is left on the device \(ENOSPC\)/),
    ]);
    expect(code, stderr).toBe(0);
    const { elements, warnings } = JSON.parse(stdout);
    expect(elements).toBe(30_000);
    expect(warnings).toHaveLength(1);
    const info = await shop.info(`${disk}/full`);
    expect(info.problems).toContainEqual(warnings[0]);
    expect((await shop.venturi('info', `${disk}/full`)).stdout).toMatch(/no space is left on the device/);
  });
});

describe('a disk', () => {
  it('that is read-only is refused before anything runs', async ({ skip }) => {
    if (!disks.mount(shop.path('read-only'), 'ro,size=400k'))
      return skipLoudly(skip, 'a read-only disk: no right to mount one');
    const { code, stderr } = await shop.venturi('run', 'tiny.ts', '--record', 'read-only/run');
    expect(stderr).toMatch(/VENTURI_RUN_UNWRITABLE: .*EROFS/);
    expect(stderr).not.toMatch(/^running/m);
    expect(code).toBe(2);
  });
});

describe('on a terminal', () => {
  const hasScript = spawnSync('script', ['--version']).status === 0;

  /** Everything the program wrote to a pseudo-terminal, as one text. */
  async function onTerminal(args: string, env: Readonly<Record<string, string>>): Promise<string> {
    const command = `stty cols 100; "${process.execPath}" "${CLI}" ${args}`;
    const { stdout } = await shop.start('script', ['-qec', command, '/dev/null'], {
      env: { TERM: 'xterm-256color', ...env },
    }).finished;
    return stdout;
  }

  const ESCAPE = '\x1b[';
  const COLOUR = new RegExp(`${ESCAPE.replace('[', '\\[')}[\\d;]*m`);

  it('progress is one line that is rewritten, in colour unless NO_COLOR', async ({ skip }) => {
    if (!hasScript) return skipLoudly(skip, 'a terminal: there is no program `script`');
    const [coloured, plain] = await Promise.all([
      onTerminal('run endless.ts --for 900ms', {}),
      onTerminal('run endless.ts --for 900ms', { NO_COLOR: '1' }),
    ]);
    for (const text of [coloured, plain]) {
      expect(text.split(`\r${ESCAPE}K`)).toContainEqual(expect.stringMatching(/^.* elements .*\/s .* of .* cores/));
      // The cursor comes back.
      expect(text.lastIndexOf(`${ESCAPE}?25h`)).toBeGreaterThan(text.lastIndexOf(`${ESCAPE}?25l`));
      expect(text).toMatch(/stopped: /);
    }
    expect(coloured).toMatch(COLOUR);
    expect(plain).not.toMatch(COLOUR);
  });

  it('colour is asked for and refused by the environment alone elsewhere', async () => {
    const run = (env: Readonly<Record<string, string>>) => shop.startVenturi([], { env }).finished;
    const [forced, none] = await Promise.all([run({ FORCE_COLOR: '1' }), run({})]);
    expect(forced.stdout).toMatch(COLOUR);
    expect(none.stdout).not.toMatch(COLOUR);
  });
});
