import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { skipped, triedTorches } from './fixtures/python.ts';
import { PATIENCE, TorchWorkshop } from './fixtures/torch-workshop.ts';

const DIRECT = fileURLToPath(new URL('./fixtures/direct.py', import.meta.url));

/** How often each operator was seen in 12 elements and 3 batches of `direct.py`. */
const SEEN = {
  'Pictures.__getitem__': 12,
  Resize: 12,
  RandomApply: 24,
  GaussianBlur: 12,
  ColorJitter: 12,
  RandomCrop: 12,
  ToTensor: 12,
  Fussy: 12,
  Conv2d: 12,
  ReLU: 12,
  Normalized: 3,
  Normalize: 3,
};

let workshop: TorchWorkshop;
beforeAll(() => {
  workshop = new TorchWorkshop(undefined);
});
afterAll(() => workshop.remove());

for (const { name: torch, python, hasVision } of triedTorches) {
  const vision = hasVision ? python : undefined;
  it.skipIf(vision === undefined)(
    `names transforms that are called outside a list of them, and work in other threads, once each, on ${torch}${skipped(vision, 'torchvision')}`,
    { timeout: PATIENCE },
    async () => {
      const run = torch.replaceAll(' ', '-');
      const [before, after] = await Promise.all([
        workshop.start(vision ?? '', [DIRECT]).finished,
        workshop.venturi('record', '--out', run, '--', vision ?? '', DIRECT),
      ]);
      expect(before.code, before.stderr).toBe(0);
      expect(after, after.stderr).toMatchObject({ code: 0, stdout: before.stdout });
      const { batches, problems } = await workshop.info(run);
      expect(problems).toEqual([]);
      const seen = batches?.loaders.map(({ name, operators }) => [
        name,
        Object.fromEntries(operators.map(row => [row.operator, row.timed])),
      ]);
      expect(Object.fromEntries(seen ?? [])).toEqual({
        inline: SEEN,
        worked: SEEN,
        // By threads of the dataset's own, two to an element.
        pooled: { 'Pairs.__getitem__': 12, open: 24, default_collate: 3 },
      });
      // Inside the collation, and so no part of its own.
      expect(new Set(workshop.kindsOf(run, 'operator:Normalize'))).toEqual(new Set(['inner']));
    },
  );
}
