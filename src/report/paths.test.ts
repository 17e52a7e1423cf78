import { basename, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileName, pathFrom } from './paths.ts';

describe('the name of a file', () => {
  it.each([
    ['runs/first.venturi', '.venturi'],
    ['/runs/first.venturi/', '.venturi'],
    ['first', '.venturi'],
    ['.venturi', '.venturi'],
    ['/a/b c/plan.json', ''],
    ['/', ''],
    ['', ''],
  ])('of %j without %j is what Node makes of it', (path, suffix) => {
    expect(fileName(path, suffix)).toBe(basename(path, suffix));
  });
});

describe('a path from a directory', () => {
  it.each([
    ['/home/ada/job', '/home/ada/job/train.py'],
    ['/home/ada/job', '/home/ada/job/parts/train.py'],
    ['/', '/train.py'],
  ])('from %j to %j below it is relative', (directory, file) => {
    expect(pathFrom(directory, file)).toBe(relative(directory, file));
  });

  it('stays as it is elsewhere, and where it is relative already', () => {
    expect(pathFrom('/home/ada/job', '/home/ada/jobs/train.py')).toBe('/home/ada/jobs/train.py');
    expect(pathFrom('/home/ada/job', '/other/train.py')).toBe('/other/train.py');
    expect(pathFrom('/home/ada/job', 'parts/train.py')).toBe('parts/train.py');
    expect(pathFrom('/home/ada/job', './train.py')).toBe('train.py');
    expect(pathFrom('/home/ada/job', '')).toBe('');
  });
});
