import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { triedTorches } from './fixtures/python.ts';
import { PATIENCE, said, TorchWorkshop } from './fixtures/torch-workshop.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}.py`, import.meta.url));

/** Main process and worker write when they come to it: only the order of lines differs from run to run. */
const sorted = (text: string): string[] =>
  text
    .replaceAll(/0x[0-9a-f]+/g, '0x…')
    .split('\n')
    .sort();

for (const { name: torch, python } of triedTorches) {
  describe.skipIf(python === undefined)(`what a recorded program sees on ${torch}`, { timeout: PATIENCE }, () => {
    let workshop: TorchWorkshop;
    beforeAll(() => {
      workshop = new TorchWorkshop(python);
    });
    afterAll(() => workshop.remove());

    it('of its stacks, warnings and tracebacks, with warnings of other modules made errors', async () => {
      const command = [workshop.python, fixture('onlooker')];
      const [before, after] = await Promise.all([
        workshop.start(workshop.python, command.slice(1)).finished,
        workshop.venturi('record', '--no-costs', '--out', 'onlooker', '--', ...command),
      ]);
      expect(before.code, before.stderr).toBe(0);
      expect(after.code, after.stderr).toBe(0);
      expect(sorted(after.stdout)).toEqual(sorted(before.stdout));
      expect(sorted(said(after.stderr))).toEqual(sorted(said(before.stderr)));
      const { batches, problems } = await workshop.info('onlooker');
      expect(problems).toEqual([]);
      expect(batches?.loaders.length).toBeGreaterThan(0);
    });

    it('of torch after the recording has ended: nothing but torch', async () => {
      const [before, after] = await Promise.all([
        workshop.start(workshop.python, [fixture('taken_back')]).finished,
        workshop.venturi(
          'record',
          '--no-costs',
          '--out',
          'few',
          '--batches',
          '3',
          '--',
          workshop.python,
          fixture('taken_back'),
        ),
      ]);
      expect(before.code, before.stderr).toBe(0);
      expect(after, after.stderr).toMatchObject({ code: 0, stdout: before.stdout });
      expect((await workshop.info('few')).batches?.loaders[0]?.batches).toBe(3);
    });
  });
}
