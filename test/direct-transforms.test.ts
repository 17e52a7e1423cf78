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

/** Decoders as torchcodec 0.17 has them, for what the probe looks at: classes, their methods, the name of an argument. */
const DECODER = `
class VideoDecoder:
    def __init__(self, source, *, stream_index=None):
        self.source = source

    def get_frame_at(self, index):
        return len(self.source) + index
`;

let workshop: TorchWorkshop;
beforeAll(() => {
  workshop = new TorchWorkshop(undefined);
  workshop.write('lib/torchcodec/decoders/_video_decoder.py', DECODER);
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
        workshop.venturi('record', '--no-costs', '--out', run, '--', vision ?? '', DIRECT),
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
        pooled: {
          'Pairs.__getitem__': 12,
          open: 24,
          'VideoDecoder.__init__': 12,
          'VideoDecoder.get_frame_at': 12,
          default_collate: 3,
        },
      });
      // Each by the file it was made from, though threads beside it opened others.
      const slowest = batches?.loaders[2]?.slowest.map(({ name }) => name) ?? [];
      expect(slowest.filter(name => !/^clip-\d+\.mp4$/.test(name))).toEqual([]);
      expect(new Set(slowest).size).toBe(10);
      // Inside the collation, and so no part of its own.
      expect(new Set(workshop.kindsOf(run, 'operator:Normalize'))).toEqual(new Set(['inner']));
    },
  );
}
