import { describe, expect, it } from 'vitest';
import { AUTHOR_FILE, ENGINE_FILES } from '../../model/frame-names.ts';
import { AUTHOR_LINES, GENERATED_LINES, WAITING_LINE } from '../../model/line-ranges.ts';
import type { Frame, LaneDictionary } from '../../model/profile.ts';
import { Resolver } from './resolver.ts';

const FILE = 'venturi:files+a+b.0';
const line = (at: number): number => AUTHOR_LINES + at;

/** Functions of `a` and `b` have three lines each, that of `c` is also that of `d`. */
const LANE: LaneDictionary = {
  lane: 'files+a+b#0',
  tid: 7,
  stage: 'files+a+b',
  operators: ['files', 'a', 'b', 'c', 'd'],
  tasks: [
    { operator: -1, name: 'loop' },
    { operator: 1, name: 'call' },
    { operator: 2, name: 'element' },
  ],
  loops: [
    {
      file: FILE,
      firstLine: GENERATED_LINES,
      text: 'for (;;) {\n  call1();\n  two();\n  three();\n}',
      lines: [
        [0, 0, 0],
        [1, 1, 1],
        [2, 3, 2],
        [4, 4, 0],
      ],
    },
  ],
  functions: [
    { operator: 1, line: line(9), column: 4, lines: 3, mentions: ['x', 'helper'] },
    { operator: 2, line: line(19), column: 4, lines: 3, mentions: ['x'] },
    { operator: 3, line: line(29), column: 4, lines: 3, mentions: ['x', 'helper'] },
    { operator: 4, line: line(29), column: 4, lines: 3, mentions: ['x', 'helper'] },
  ],
};

/** A call tree: a stack per number, outermost function first, as [name, file, line, column]. */
function framesOf(stacks: Readonly<Record<number, readonly (readonly [string, string, number, number])[]>>) {
  const frames = new Map<number, Frame>([[1, [1, 0, '(root)', '', 0, 0]]]);
  let free = 1000;
  for (const [number, stack] of Object.entries(stacks)) {
    let parent = 1;
    for (const [at, [name, file, start, column]] of stack.entries()) {
      const own = at === stack.length - 1 ? Number(number) : free++;
      frames.set(own, [own, parent, name, file, start, column]);
      parent = own;
    }
  }
  return frames;
}

const LOOP = ['slice', FILE, GENERATED_LINES, 0] as const;
const A = ['a', AUTHOR_FILE, line(9), 4] as const;
const C = ['c', AUTHOR_FILE, line(29), 4] as const;
const HELPER = ['helper', AUTHOR_FILE, line(39), 0] as const;
const module = (name: string) => ['work', `${ENGINE_FILES}${name}`, 5, 0] as const;

const resolver = (stacks: Parameters<typeof framesOf>[0]): Resolver => new Resolver([LANE], framesOf(stacks));

describe('the owner of a sample', () => {
  it('is that of its generated line, whatever function it was compiled into', () => {
    const found = resolver({ 2: [module('engine/runtime/stage/placed-segment')], 3: [LOOP] });
    for (const node of [2, 3]) {
      expect(found.ownerOf(node, GENERATED_LINES + 1)).toMatchObject({ operator: 'a', task: 'call', by: 'line' });
      expect(found.ownerOf(node, GENERATED_LINES + 3)).toMatchObject({ operator: 'b', task: 'element' });
      expect(found.ownerOf(node, GENERATED_LINES)).toMatchObject({ kind: 'engine', task: 'loop' });
    }
  });

  it('is another one where the dictionary is out of order', () => {
    const [loop] = LANE.loops;
    const moved = { ...LANE, loops: loop === undefined ? [] : [{ ...loop, firstLine: loop.firstLine + 1 }] };
    const found = new Resolver([moved], framesOf({ 2: [LOOP] }));
    expect(found.ownerOf(2, GENERATED_LINES + 1)).toMatchObject({ kind: 'engine', task: 'loop' });
  });

  it("is the operator whose function has the author's line, also where it was compiled into the loop", () => {
    const found = resolver({ 2: [LOOP], 3: [LOOP, A] });
    for (const node of [2, 3]) expect(found.ownerOf(node, line(11))).toMatchObject({ operator: 'a', by: 'function' });
  });

  it('is found by the stack for what functions call', () => {
    const found = resolver({ 2: [LOOP, A, HELPER], 3: [LOOP, A, HELPER, ['parse', '', 0, 0]] });
    expect(found.ownerOf(2, line(41))).toMatchObject({ operator: 'a', by: 'stack' });
    expect(found.ownerOf(3, 0)).toMatchObject({ operator: 'a', by: 'stack' });
  });

  it('is shared where two operators have one function', () => {
    const found = resolver({ 2: [LOOP, C] });
    expect(found.ownerOf(2, line(30))).toEqual({ kind: 'shared', operators: ['c', 'd'] });
  });

  it('is shared by all whose functions name what was compiled into the loop, seen or not', () => {
    const found = resolver({ 2: [LOOP, A, HELPER], 3: [LOOP] });
    expect(found.ownerOf(3, line(41))).toEqual({ kind: 'shared', operators: ['a', 'c', 'd'] });
  });

  it('is the source for what reads, and the engine for what it does around operators', () => {
    const found = resolver({
      2: [
        module('engine/runtime/stage/stage-runner'),
        module('engine/runtime/stage/source-input'),
        module('io/input/x'),
      ],
      3: [module('engine/runtime/stage/stage-runner'), module('engine/runtime/chunk/encoder')],
      4: [module('probes/engine/lane')],
    });
    expect(found.ownerOf(2, 6)).toMatchObject({ operator: 'files', task: 'read' });
    expect(found.ownerOf(3, 6)).toEqual({ kind: 'engine', task: 'encoding' });
    expect(found.ownerOf(4, 6)).toEqual({ kind: 'engine', task: 'recording' });
  });

  it('is the operator for a module of ours that its function calls', () => {
    const found = resolver({ 2: [LOOP, A, module('io/media/jpeg')] });
    expect(found.ownerOf(2, 6)).toMatchObject({ operator: 'a', by: 'stack' });
  });

  it('is an operator of a query, within the one that ran it, also where V8 lost a frame or calls code of its own', () => {
    const text = [
      'function claim0(bytes) {',
      '  budget.claimed += bytes;',
      '}',
      'function pipeline0(state) {',
      '  rows: for (;;) {',
      '    const t1 = v0.slice(0, 2);',
      '    const v2 = inputs[3].test(v0);',
      '    claim0(8);',
      '  }',
      '}',
      'function enter0(state) {',
      '  pipeline0(state);',
      '}',
    ].join('\n');
    const first = GENERATED_LINES + 100;
    const query: LaneDictionary = {
      lane: LANE.lane,
      tid: LANE.tid,
      stage: 'q',
      isQuery: true,
      operators: ['q: scan', 'q: cut', 'q: like', 'q: group'],
      tasks: [
        { operator: 0, name: 'scan' },
        { operator: 1, name: 'filter' },
        { operator: 2, name: 'filter' },
        { operator: 3, name: 'aggregate' },
        { operator: -1, name: 'query' },
      ],
      loops: [
        {
          file: 'venturi:query.0',
          firstLine: first,
          text,
          lines: [
            [0, 2, 3],
            [3, 4, 0],
            [5, 5, 1],
            [6, 6, 2],
            [7, 7, 3],
            [8, 9, 0],
            [10, 12, 4],
          ],
        },
      ],
      functions: [],
    };
    const within = (...more: readonly (readonly [string, string, number, number])[]) => [
      LOOP,
      A,
      module('engine/relational/query'),
      ['enter0', 'venturi:query.0', first + 9, 0] as const,
      ...more,
    ];
    const PIPELINE = ['pipeline0', 'venturi:query.0', first + 2, 0] as const;
    const found = new Resolver(
      [LANE, query],
      framesOf({
        2: within(PIPELINE),
        3: within(),
        4: within(PIPELINE, ['RegExp: ^x', '', 0, 0]),
        5: within(PIPELINE, ['claim0', 'venturi:query.0', first - 1, 0], ['set', '', 0, 0]),
        6: [LOOP, A, module('engine/relational/query')],
      }),
    );
    expect(found.ownerOf(2, first + 5)).toMatchObject({ operator: 'q: cut', by: 'line', within: 'a' });
    // Compiled into the pipeline, the copy of a helper keeps its lines.
    expect(found.ownerOf(2, first + 1)).toMatchObject({ operator: 'q: group', task: 'aggregate', by: 'line' });
    // The frame of the pipeline is gone: both lines work on texts.
    expect(found.ownerOf(3, first + 11)).toEqual({ kind: 'shared', operators: ['q: cut', 'q: like'] });
    expect(found.ownerOf(4, 0)).toMatchObject({ operator: 'q: like', by: 'stack', within: 'a' });
    expect(found.ownerOf(5, 0)).toMatchObject({ operator: 'q: group', by: 'stack' });
    expect(found.ownerOf(6, 6)).toEqual({ kind: 'engine', task: 'query' });
  });

  it('is V8 itself, a wait, or nobody', () => {
    const found = resolver({
      2: [['(garbage collector)', '', 0, 0]],
      3: [['(program)', '', 0, 0]],
      4: [module('engine/runtime/ring/ring-end')],
      5: [['timer', 'node:timers', 3, 0]],
    });
    expect(found.ownerOf(2, 0)).toEqual({ kind: 'collection' });
    expect(found.ownerOf(3, 0)).toEqual({ kind: 'native' });
    expect(found.ownerOf(4, WAITING_LINE)).toEqual({ kind: 'idle' });
    expect(found.ownerOf(5, 4)).toEqual({ kind: 'outside' });
  });
});
