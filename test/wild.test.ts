import { describe, expect, it } from 'vitest';
import { patched } from '../bench/wild/patch.mjs';
import { difference, type Ending } from '../bench/wild/sameness.mjs';
import { comparedCounts } from '../bench/wild/tally.mjs';
import { unifiedDiff } from '../src/appliers/pytorch/unified-diff.ts';

const ending = (stdout: string, stderr = '', code = 0): Ending => ({ code, stdout, stderr });
const lines = (count: number, last: string): string =>
  [...Array.from({ length: count }, (_, at) => `line ${at}`), last].join('\n');
const never = (): Promise<Ending> => Promise.reject(new Error('asked for a second run'));

describe('what the bench of programs in the wild calls the same', () => {
  it('asks for no second run where nothing differs', async () => {
    expect(await difference(ending('loss 1'), ending('loss 1'), never)).toBeUndefined();
  });

  it('takes no other exit code, whatever runs alone do', async () => {
    expect(await difference(ending('', '', 0), ending('', '', 1), never)).toBe('it ends with 1 instead of 0');
  });

  it('leaves out what two runs alone do not share, and nothing else', async () => {
    const alone = ending(lines(30, 'took 1.2 s'));
    const again = async (): Promise<Ending> => ending(lines(30, 'took 1.4 s'));
    expect(await difference(alone, ending(lines(30, 'took 9.9 s')), again)).toBeUndefined();
    const other = ending(lines(30, 'took 9.9 s').replace('line 7', 'line seven'));
    expect(await difference(alone, other, again)).toBe('line 8 of stdout: line seven | instead of | line 7');
  });

  it('compares standard error, and lines that are too many', async () => {
    const again = async (): Promise<Ending> => ending('', 'a warning');
    const more = ending('', 'a warning\nanother');
    expect(await difference(ending('', 'a warning'), more, again)).toMatch('line 2 of stderr: another');
  });

  it('calls a program no good that differs from itself in more than a twentieth of its lines', async () => {
    const alone = ending(lines(5, 'took 1.2 s'));
    const again = async (): Promise<Ending> => ending(lines(5, 'took 1.4 s'));
    expect(await difference(alone, ending(lines(5, 'took 2 s')), again)).toMatch('differ from run to run');
  });
});

describe('the tally of a program in the wild', () => {
  const said = 'tally train: 6 batches, 48 elements\ntally val: 2 batches, 16 elements\n';
  const exact = (...loaders: Parameters<typeof comparedCounts>[1]): boolean[] =>
    comparedCounts(said, loaders).map(({ isExact }) => isExact);

  it('is exact where one loader of each role has these counts', () => {
    const train = { name: 'train_loader', batches: 6, elements: 48 };
    const val = { name: 'val: ImageFolder', batches: 2, elements: 16 };
    expect(exact(train, val)).toEqual([true, true]);
    expect(exact(train, { ...val, elements: 15 })).toEqual([true, false]);
  });

  it('is not where loaders were merged, split or lost', () => {
    expect(exact({ name: 'build', batches: 8, elements: 64 })).toEqual([false, false]);
    const half = { name: 'train_loader', batches: 3, elements: 24 };
    expect(exact(half, { ...half, name: 'train_loader#2' })).toEqual([false, false]);
  });
});

describe('an edit, carried out', () => {
  const source = ['import torch', '', 'loader = DataLoader(', '    rows,', '    num_workers=1,', ')', 'go()', ''].join(
    '\n',
  );

  const edited = source.replace('num_workers=1', 'num_workers=4,\n    persistent_workers=True');
  const diff = unifiedDiff(source, edited);

  it('makes of the source what the edit shows', () => {
    expect(patched(source, diff)).toBe(edited);
  });

  it('is refused where the lines are others', () => {
    expect(() => patched(source.replace('num_workers=1', 'num_workers=2'), diff)).toThrow('line 5 is');
  });
});
