import { expect, test } from 'vitest';
import { StackAttribution } from './stack-join.ts';
import { summariseAttribution } from './summary.ts';

const LOCATIONS = new Map([
  ['Images.__getitem__', '/home/me/train.py:20'],
  ['Crop', '/opt/python/site-packages/torchvision/transforms/transforms.py:900'],
  ['Flip', '/opt/python/site-packages/torchvision/transforms/transforms.py:700'],
  ['pad', '/home/me/collate.py:5'],
]);

const frame = (name: string, file: string, line: number) => ({ name, file, line });
const TRANSFORMS = 'torchvision/transforms/transforms.py';

test('a stack belongs to its innermost operator; other code belongs to none', () => {
  const attribution = new StackAttribution(LOCATIONS, 'py-spy');
  const item = frame('__getitem__', '/home/me/train.py', 24);
  const stacks = [
    {
      frames: [
        item,
        frame('__call__', TRANSFORMS, 95),
        frame('forward', TRANSFORMS, 930),
        frame('resize', 'pil.py', 4),
      ],
      hits: 7,
    },
    { frames: [item, frame('forward', TRANSFORMS, 720)], hits: 2 },
    { frames: [item, frame('helper', '/home/me/train.py', 60)], hits: 3 },
    { frames: [frame('fetch', 'fetch.py', 52), frame('pad', '/home/me/collate.py', 9)], hits: 1 },
    { frames: [frame('main', '/home/me/train.py', 90)], hits: 4 },
    { frames: [frame('__getitem__', 'other/train.py', 24)], hits: 5 },
  ];
  for (const stack of stacks) attribution.add(stack);
  const summary = summariseAttribution(attribution);
  expect(Object.fromEntries(summary.operators.map(({ operator, hits }) => [operator, hits]))).toEqual({
    Crop: 7,
    Flip: 2,
    'Images.__getitem__': 3,
    pad: 1,
  });
  expect(summary.unattributed).toMatchObject([{ reason: 'noOperatorFrame', hits: 9 }]);
  expect(summary.operators[0]?.symbols[0]).toMatchObject({ symbol: 'resize', module: 'pil.py', hits: 7 });
  expect(summary).toMatchObject({ profiler: 'py-spy', hits: 22, inOperatorsOfWorkers: undefined });
});
