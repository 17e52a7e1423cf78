import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kindText } from '../src/model/kind.ts';
import { isLong } from './fixtures/depth.ts';
import { deep, deepIf } from './fixtures/depth-tests.ts';
import { firstTorch, LOADERS, triedTorches } from './fixtures/python.ts';
import { BATCHES, ELEMENTS, EPOCHS, PATIENCE, said, TorchWorkshop } from './fixtures/torch-workshop.ts';
import { type Finished, pause } from './fixtures/workshop.ts';

const SAME = 'prints the same and is counted to the last element';

async function expectSameAndComplete(
  workshop: TorchWorkshop,
  name: string,
  args: readonly string[],
  before: Finished,
  after: Finished,
): Promise<void> {
  expect(before.code, before.stderr).toBe(0);
  expect(after).toMatchObject({ code: 0, stdout: before.stdout });
  const loader = await workshop.loaderOf(name);
  expect((await workshop.info(name)).problems).toEqual([]);
  const isStream = args.includes('stream=1') && !args.includes('workers=0');
  // Two workers divide the stream among them, 35 elements each.
  const batches = isStream ? 2 * Math.ceil(ELEMENTS / 2 / 8) : BATCHES;
  const epochs = args.includes('epochs=1') ? 1 : EPOCHS;
  expect(loader).toMatchObject({ batches: epochs * batches, elements: epochs * ELEMENTS });
  for (const part of ['preparation', 'wait', 'delay', 'consume'] as const) {
    expect(loader[part].count, part).toBe(epochs * batches);
  }
  // Of batches as cheap as these, the CPU time is sampled.
  expect(loader.cpu.count).toBeGreaterThan(0);
  expect(loader.passes.map(pass => pass.batches)).toEqual(Array(epochs).fill(batches));
  const timed = loader.operators.find(row => row.traits.fetches)?.timed ?? 0;
  expect(timed).toBeGreaterThan(0);
  for (const row of loader.operators.filter(({ kind }) => kindText(kind) === 'transform'))
    expect(row.timed).toBe(timed);
  if (args.includes('pin=1')) expect(workshop.sequencesOf(name, 'pin:loader').length).toBe(epochs * batches);
  expect(loader.operators.find(row => row.traits.per === 'batch')?.timed).toBe(epochs * batches);
}

/** The long tests ask of the first torch what `npm test` did not, of the others everything. */
const torches = isLong && firstTorch !== undefined ? [firstTorch, ...triedTorches.slice(1)] : triedTorches;

for (const { name: torch, python, hasVision, isUnordered } of torches) {
  describe.skipIf(python === undefined)(`a recorded program on ${torch}`, { timeout: PATIENCE }, () => {
    const unorderedNeeded = isUnordered ? '' : ' (skipped: torch 2.6 and newer have it)';
    const visionNeeded = hasVision ? '' : ' (skipped: no torchvision for it)';
    const isFirst = python === firstTorch?.python;
    const quick = it.skipIf(isLong && isFirst);
    /** What hangs on Python, the system and the probe, and is the same on every torch: asked of the first. */
    const once = it.skipIf(!isFirst || isLong);
    const deepOnce = deepIf(isFirst);
    let workshop: TorchWorkshop;
    beforeAll(() => {
      workshop = new TorchWorkshop(python);
    });
    afterAll(() => workshop.remove());

    const expectSame = async (_: string, args: readonly string[]): Promise<void> => {
      const name = args.join('-');
      const [before, after] = await Promise.all([workshop.plain(...args), workshop.recorded(name, ...args)]);
      await expectSameAndComplete(workshop, name, args, before, after);
    };

    // Forked workers are also those of a stream, of persistent workers and of a thread that pins memory.
    once.each([['forked workers', ['start=fork']]] as const)(`${SAME}: %s`, expectSame);
    quick.each([['no workers', ['workers=0']]] as const)(`${SAME}: %s`, expectSame);

    deep.each([
      ['spawned workers', ['start=spawn', 'epochs=1']],
      ['persistent workers', ['persistent=1']],
      ['a stream', ['stream=1']],
      ['a thread that pins memory', ['pin=1']],
    ] as const)(`${SAME}: %s`, expectSame);

    // Spawned workers start as these do; streams, persistent workers and programs without any are asked about one by one above.
    deepOnce.each([
      ['workers from a fork server', ['start=forkserver', 'epochs=1']],
      ['a stream with persistent workers', ['stream=1', 'persistent=1']],
      ['a stream without workers', ['workers=0', 'stream=1']],
    ] as const)(`${SAME}: %s`, expectSame);

    deepIf(hasVision)(`${SAME}: torchvision's Compose${visionNeeded}`, async () => {
      const [before, after] = await Promise.all([
        workshop.plain('transform=compose'),
        workshop.recorded('compose', 'transform=compose'),
      ]);
      await expectSameAndComplete(workshop, 'compose', [], before, after);
      const { operators } = await workshop.loaderOf('compose');
      expect(operators.map(({ operator }) => operator)).toEqual(expect.arrayContaining(['Scale', 'Jitter']));
    });

    deepIf(isUnordered)(`${SAME}: batches as they come${unorderedNeeded}`, async () => {
      const [before, after] = await Promise.all([
        workshop.plain('unordered=1'),
        workshop.recorded('unordered', 'unordered=1'),
      ]);
      await expectSameAndComplete(workshop, 'unordered', [], before, after);
    });

    quick('times steps on a device, never waits for it, and frees none of its events in a worker', async () => {
      const args = ['device=1', 'slow=0.02'];
      const [before, after] = await Promise.all([workshop.plain(...args), workshop.recorded('device', ...args)]);
      expect(after, after.stderr).toMatchObject({ code: 0, stdout: before.stdout });
      const { deviceStep, deviceWait, consume } = await workshop.loaderOf('device');
      expect(deviceStep.count).toBe(EPOCHS * BATCHES);
      expect(deviceWait.count).toBe(deviceStep.count);
      expect(deviceStep.mean).toBeGreaterThan(20e6);
      expect(deviceStep.mean).toBeLessThan(consume.mean * 1.01);
    });

    quick('leaves it to the program to hear of a device that failed', async () => {
      const args = ['device=1', 'workers=0', 'broken=2'];
      const [before, after] = await Promise.all([workshop.plain(...args), workshop.recorded('broken', ...args)]);
      expect(before.code, before.stderr).toBe(0);
      expect(after).toMatchObject({ code: 0, stdout: before.stdout });
      expect(said(after.stderr)).toBe(said(before.stderr));
    });

    deepOnce('tells two iterators over one loader apart', async () => {
      const [before, after] = await Promise.all([workshop.plain('twice=1'), workshop.recorded('twice', 'twice=1')]);
      expect(after).toMatchObject({ code: 0, stdout: before.stdout });
      const loader = await workshop.loaderOf('twice');
      expect(loader).toMatchObject({ batches: 2 * EPOCHS * BATCHES, elements: 2 * EPOCHS * ELEMENTS });
      expect(loader.passes.map(pass => pass.batches)).toEqual([BATCHES, BATCHES, BATCHES, BATCHES]);
    });

    quick('keeps an exception in a worker as it was, to the last line of its traceback', async () => {
      const args = ['workers=1', 'ordered=1', 'bad=60'];
      const [before, after] = await Promise.all([workshop.plain(...args), workshop.recorded('bad', ...args)]);
      expect(before.stderr).toContain('ValueError: element 60 is bad');
      expect(after.code).toBe(before.code);
      expect(said(after.stderr)).toBe(said(before.stderr));
      const { manifest } = await workshop.info('bad');
      expect(manifest.outcome).toMatchObject({ status: 'failed', error: { code: 'VENTURI_PROGRAM_FAILED' } });
    });

    deep('leaves a readable run when a worker is killed', async () => {
      const args = ['workers=1', 'ordered=1', 'deadly=60'];
      const [before, after] = await Promise.all([workshop.plain(...args), workshop.recorded('deadly', ...args)]);
      expect(after.code).toBe(before.code);
      for (const { stderr } of [before, after]) expect(stderr).toMatch(/^RuntimeError: DataLoader worker \(pid/m);
      expect(await workshop.loaderOf('deadly')).toMatchObject({ batches: 7, elements: 56 });
    });

    deep('leaves a readable run when a worker is killed with a batch on its way', async () => {
      const args = ['workers=1', 'ordered=1', 'deadly=60', 'sudden=1'];
      const [before, after] = await Promise.all([workshop.plain(...args), workshop.recorded('sudden', ...args)]);
      expect(after.code).toBe(before.code);
      // Which exception ends it depends on which end of which pipe torch finds closed first. And torch raises one more when the signal
      // of the worker's death arrives: where that is in the midst of printing the first, Python gives up with `lost sys.stderr`.
      // Without the probe all of this is as frequent.
      for (const { stderr } of [before, after]) expect(stderr).toMatch(/^Traceback|^lost sys\.stderr$/m);
      expect(after.stderr).not.toMatch(/recording stopped|venturi_probe/);
      const { batches } = await workshop.loaderOf('sudden');
      expect(batches).toBeGreaterThan(0);
      expect(batches).toBeLessThanOrEqual(7);
    });

    deepOnce('leaves a readable run when the program is killed', async () => {
      const { code } = await workshop.recorded('suicide', 'suicide=4');
      expect(code).toBe(137);
      const loader = await workshop.loaderOf('suicide');
      // Up to five milliseconds of them may be lost.
      expect(loader.batches).toBeGreaterThan(0);
      expect(loader.batches).toBeLessThanOrEqual(5);
      expect((await workshop.info('suicide')).manifest.outcome?.error?.message).toContain('SIGKILL');
    });

    once('is readable while it runs, and ends as Ctrl-C ends it', async () => {
      const endless = [LOADERS, 'slow=0.3', 'epochs=100000'];
      const started = workshop.startVenturi([
        'record',
        '--no-costs',
        '--out',
        'slow',
        '--',
        workshop.python,
        ...endless,
      ]);
      while (!/step 3/.test(started.stdout)) await pause(50);
      const during = await workshop.info('slow');
      expect(during).toMatchObject({ complete: false, status: 'incomplete' });
      expect(during.batches?.loaders[0]?.batches).toBeGreaterThan(2);
      started.child.kill('SIGINT');
      const { code, stderr } = await started.finished;
      expect(code).toBe(130);
      expect(stderr).toContain('KeyboardInterrupt');
      expect(await workshop.info('slow')).toMatchObject({ complete: true, status: 'interrupted' });
    });

    deepOnce('ends the program with its last batch, if that is asked for', async () => {
      const args = [
        'record',
        '--no-costs',
        '--out',
        'enough',
        '--batches',
        '4',
        '--then-stop',
        '--',
        workshop.python,
        LOADERS,
        'slow=0',
      ];
      const { code, stdout } = await workshop.venturi(...args);
      expect([code, stdout]).toEqual([0, 'step 0\nstep 1\nstep 2\nstep 3\n']);
      expect(await workshop.info('enough')).toMatchObject({ complete: true, status: 'stopped' });
      expect((await workshop.loaderOf('enough')).batches).toBe(4);
    });

    deepOnce('goes on where the disk refuses, with one warning', async () => {
      const before = await workshop.plain('workers=0');
      const limited = `ulimit -f 2; exec ${workshop.python} ${LOADERS} workers=0`;
      const after = await workshop.venturi('record', '--no-costs', '--out', 'small', '--', 'bash', '-c', limited);
      expect(after).toMatchObject({ code: 0, stdout: before.stdout });
      expect(after.stderr.match(/^venturi: recording stopped/gm)).toHaveLength(1);
      expect((await workshop.info('small')).problems).toContainEqual({
        code: 'VENTURI_WARN_RECORDING_STOPPED',
        message: expect.stringContaining('stopped before the program did'),
      });
    });

    deepOnce('runs unrecorded where no folder can be made', async () => {
      workshop.write('file', '');
      const before = await workshop.plain('workers=0');
      const after = await workshop.venturi(
        'record',
        '--no-costs',
        '--out',
        'file/run',
        '--',
        workshop.python,
        LOADERS,
        'workers=0',
      );
      expect(after).toMatchObject({ code: 0, stdout: before.stdout });
      expect(after.stderr).toContain('The program was not recorded');
    });
  });
}
