import { describe, expect, it } from 'vitest';
import { editCall, generalEdit } from './call-edit.ts';

const edit = (source: string, line: number, changes: Parameters<typeof editCall>[2]): string | undefined =>
  editCall(source, line, changes)?.diff.join('\n');

describe('an edit of the call that makes a loader', () => {
  it('replaces what is there and adds what is not', () => {
    const source = ['import x', 'loader = DataLoader(data, batch_size=8, num_workers=0)', 'use(loader)', ''].join('\n');
    expect(edit(source, 2, { num_workers: 4, prefetch_factor: 4 })).toMatchInlineSnapshot(`
      "@@ -1,4 +1,4 @@
       import x
      -loader = DataLoader(data, batch_size=8, num_workers=0)
      +loader = DataLoader(data, batch_size=8, num_workers=4, prefetch_factor=4)
       use(loader)
       "
    `);
  });

  it('keeps the form of a call on several lines, its comments and its last comma', () => {
    const source = [
      'train = torch.utils.data.DataLoader(',
      '    data,  # all (of it',
      '    num_workers=min(4, cpus()),',
      '    collate_fn=lambda b: (b, ")"),',
      ')',
    ].join('\n');
    expect(edit(source, 1, { num_workers: 8, persistent_workers: true })).toMatchInlineSnapshot(`
      "@@ -1,5 +1,6 @@
       train = torch.utils.data.DataLoader(
           data,  # all (of it
      -    num_workers=min(4, cpus()),
      -    collate_fn=lambda b: (b, ")"),
      +    num_workers=8,
      +    collate_fn=lambda b: (b, ")"),
      +    persistent_workers=True,
       )"
    `);
  });

  it.each([
    ['arguments handed through', 'loader = DataLoader(data, **options)'],
    ['a setting without its name', 'loader = DataLoader(data, 8, True, None, None, 2)'],
    ['no call on that line', 'loader = build(options)'],
    ['a call that does not end', 'loader = DataLoader(data, ('],
  ])('refuses %s', (_, source) => {
    expect(editCall(source, 1, { num_workers: 4 })).toBeUndefined();
  });

  it('tells a comment from a sign in a text', () => {
    const source = ['loader = DataLoader(', '    Folder("#a"),', '    num_workers=0  # none', ')'].join('\n');
    expect(edit(source, 1, { num_workers: 2, pin_memory: true })).toContain(
      ['+    num_workers=2,', '+    pin_memory=True  # none', ' )'].join('\n'),
    );
  });

  it('leaves other settings that stand without their name', () => {
    expect(edit('loader = DataLoader(data, 8, True)', 1, { num_workers: 4 })).toContain(
      '+loader = DataLoader(data, 8, True, num_workers=4)',
    );
  });

  it('shows the arguments alone where there is no source', () => {
    expect(
      generalEdit('loader', { num_workers: 0, prefetch_factor: null }, { num_workers: 2, prefetch_factor: 4 }).diff,
    ).toEqual([
      '-loader = DataLoader(..., num_workers=0)',
      '+loader = DataLoader(..., num_workers=2, prefetch_factor=4)',
    ]);
  });
});
