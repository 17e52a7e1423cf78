import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CodeLine } from '../coder.ts';
import { col, lit, when } from '../expression.ts';
import { randomPlans } from '../optimiser/random-plans.fixture.ts';
import { Query } from '../query.ts';
import { count, scan, sum } from '../relation.ts';
import { table } from '../table.ts';
import { TaggingDictionary } from '../tagging-dictionary.ts';
import { type CodePass, passed } from './code-pass.ts';
import { dropDeadCode } from './drop-dead-code.ts';
import { foldConstants } from './fold-constants.ts';
import { simplified } from './passes.ts';
import { shareSubexpressions } from './share-subexpressions.ts';

const code = (...texts: string[]): CodeLine[] => texts.map((text, at) => ({ text, from: [at] }));
const through = (pass: CodePass, ...texts: string[]): [string, readonly number[]][] =>
  passed(pass, code(...texts)).map(({ text, from }) => [text, from]);

describe('constant folding', () => {
  it('writes values where names were, and decides conditions', () => {
    expect(
      through(
        foldConstants,
        'const v1 = 2 * 3;',
        'const v2 = v1 - 7;',
        'const v3 = a4[row] + v2;',
        'const v5 = "v1" === "v2";',
        'if (!v5) continue;',
        'if (v1 === 0) divisionByZero();',
        'const v6 = v5 ? v3 : v2;',
        'const v7 = 0 * v2;',
        'const v8 = v3 / v7;',
      ),
    ).toEqual([
      ['const v3 = a4[row] + (-1);', [2]],
      ['continue;', [4]],
      ['const v6 = false ? v3 : (-1);', [6]],
      ['const v8 = v3 / (-0);', [8]],
    ]);
  });

  it('leaves what is called, made or read alone', () => {
    const texts = [
      'const k1 = place("a");',
      'const a2 = new Int32Array(4);',
      'const v3 = x[0];',
      'let n4 = false;',
      'if (n4) continue;',
    ];
    expect(through(foldConstants, ...texts).map(([text]) => text)).toEqual(texts);
  });
});

describe('common subexpressions', () => {
  it('are computed once, for all that asked', () => {
    expect(
      through(
        shareSubexpressions,
        'const a1 = inputs[0];',
        'rows: for (let row2 = 0; row2 < 9; row2++) {',
        'const v3 = a1[row2];',
        'const h4 = Math.imul(v3, 0x9e3779b1);',
        'const v5 = a1[row2];',
        'const h6 = Math.imul(v5, 0x9e3779b1);',
        'use(h4, h6, "h6");',
        '}',
      ),
    ).toEqual([
      ['const a1 = inputs[0];', [0]],
      ['rows: for (let row2 = 0; row2 < 9; row2++) {', [1]],
      ['const v3 = a1[row2];', [2, 4]],
      ['const h4 = Math.imul(v3, 0x9e3779b1);', [3, 5]],
      ['use(h4, h4, "h6");', [6]],
      ['}', [7]],
    ]);
  });

  it('are not shared behind their block, nor of what changes or is written to', () => {
    const texts = [
      'const m1 = new Float64Array(4);',
      'let n2 = 0;',
      'const a3 = inputs[0];',
      'for (let row4 = 0; row4 < 9; row4++) {',
      'if (row4 > 2) {',
      'const v5 = a3[row4];',
      '} else {',
      'const v6 = a3[row4];',
      '}',
      'const v7 = m1[row4];',
      'const v8 = m1[row4];',
      'const v9 = n2 + 1;',
      'const v10 = n2 + 1;',
      'const k11 = a3(1);',
      'const k12 = a3(1);',
      '}',
    ];
    expect(through(shareSubexpressions, ...texts).map(([text]) => text)).toEqual(texts);
  });
});

describe('dead code', () => {
  it('is dropped with what only it asked for, calls excepted', () => {
    expect(
      through(
        dropDeadCode,
        'const a1 = inputs[0];',
        'const v2 = a1[3];',
        'const v3 = v2 + 1;',
        'const k4 = place("v3");',
        'let n5 = false;',
        'const v6 = 1;',
        'use(v6);',
      ).map(([text]) => text),
    ).toEqual(['const k4 = place("v3");', 'const v6 = 1;', 'use(v6);']);
  });
});

describe('a pass that does not track lines is refused', () => {
  const lines = code('const v1 = a + b;', 'const v2 = a + b;', 'use(v1, v2);');
  it.each<[string, CodePass, string]>([
    [
      'forgets whose a shared line is',
      function forgetful(own) {
        return { lines: own.filter((_, at) => at !== 1), dropped: [] };
      },
      'the pass forgetful has lost line 1',
    ],
    [
      'writes a line of its own',
      function inventive(own) {
        return { lines: [...own, { text: 'more();', from: [] }], dropped: [] };
      },
      "does not say where 'more();' comes from",
    ],
    [
      'names lines that there are not',
      function mistaken(own) {
        return { lines: own.map(({ text }) => ({ text, from: [7] })), dropped: [0, 1, 2] };
      },
      'comes from line 7',
    ],
  ])('%s', (_, pass, message) => {
    expect(() => passed(pass, lines)).toThrow(message);
  });
});

it('a pass may copy lines, as unrolling does: every copy has the owners of the line', () => {
  const twice: CodePass = own => ({ lines: [...own, ...own], dropped: [] });
  expect(through(twice, 'use(a);', 'use(b);').map(([, from]) => from)).toEqual([[0], [1], [0], [1]]);
});

it('a pass may fuse lines, as compilers fuse instructions: the one line has the owners of all', () => {
  const fused: CodePass = ([first, second, ...rest]) =>
    first === undefined || second === undefined
      ? { lines: [], dropped: [] }
      : { lines: [{ text: 'const v2 = load(a) + 1;', from: [...first.from, ...second.from] }, ...rest], dropped: [] };
  const dictionary = new TaggingDictionary();
  const [reads, adds] = ['scan', 'project'].map((kind, pipeline) =>
    dictionary.task({ operator: dictionary.operator({ kind, label: kind }), pipeline, role: 'element' }),
  );
  const texts = ['const v1 = load(a);', 'const v2 = v1 + 1;', 'use(v2);'];
  const written = texts.map((text, at) => ({ text, from: [dictionary.written(text, at === 0 ? reads : adds)] }));
  const lines = passed(fused, written);
  dictionary.lines(
    lines.map(({ text }) => text).join('\n'),
    lines.map(({ from }) => from),
  );
  expect([dictionary.tasksOf(1), dictionary.tasksOf(2)]).toEqual([[reads, adds], [adds]]);
});

describe('the dictionary behind the passes', () => {
  const own = table('own', { id: Int32Array.of(1, 2, 3), size: Float64Array.of(1, 2, 3) });
  const other = table('other', { o_id: Int32Array.of(1, 1, 3) });

  it('gives a line that two operators asked for to both', () => {
    const relation = scan(own)
      .join(scan(other), [['id', 'o_id']], { how: 'semi', name: 'one' })
      .join(scan(other, { prefix: 'p' }), [['id', 'po_id']], { name: 'two' })
      .groupBy([], { rows: count(), sizes: sum(when(lit(1).plus(1).eq(2), col('size'), 0)) });
    const { dictionary, text } = new Query(relation);
    const lines = text.split('\n');
    const owners = lines.map((_, at) =>
      dictionary.tasksOf(at + 1).map(task => dictionary.operators[dictionary.tasks[task]?.operator ?? -1]?.label),
    );
    const shared = lines.filter((_, at) => (owners[at]?.length ?? 0) > 1);
    expect(shared.map(line => line.trim().replaceAll(/[vh]\d+/g, '_'))).toEqual([
      'const _ = Math.imul(_, 0x9e3779b1);',
      'const _ = _ ^ (_ >>> 15);',
    ]);
    expect(owners.filter(each => each.length > 1)).toEqual([
      ['one', 'two'],
      ['one', 'two'],
    ]);
    expect(text).not.toMatch(/= 1 \+ 1;/);
  });

  it('names for every name the task that it was first written for, whatever the passes did', () => {
    fc.assert(
      fc.property(randomPlans, relation => {
        const { text, dictionary } = new Query(relation);
        const lines = text.split('\n');
        const engines = /^(\/\/ |'use strict';|function enter\d+\(state\) \{$| *pipeline\d+\(state\);$|\}$|return \[)/;
        const without = lines.filter((line, at) => dictionary.tasksOf(at + 1).length === 0 && !engines.test(line));
        expect(without).toEqual([]);
      }),
      { numRuns: 60, seed: 3 },
    );
  });

  it('refuses lines that are out of step with where they come from', () => {
    const dictionary = new TaggingDictionary();
    const operator = dictionary.operator({ kind: 'scan', label: 'scan' });
    const task = dictionary.task({ operator, pipeline: 0, role: 'scan' });
    const texts = ['const v1 = 1;', 'use(v1);', 'const v2 = 2;'];
    const numbers = texts.map(text => [dictionary.written(text, task)]);
    const [first = [], second = [], third = []] = numbers;
    expect(() => dictionary.lines(texts.join('\n'), [first, second, third])).not.toThrow();
    expect(() => dictionary.lines(texts.join('\n'), [second, third, first])).toThrow('line 1 defines v1');
    expect(() => dictionary.lines(texts.join('\n'), [[], first, second])).toThrow('line 1 defines v1');
  });

  it('of simplified code is that of all lines that were written', () => {
    const lines = code('const a1 = inputs[0];', 'const v2 = a1[0];', 'const v3 = a1[0];', 'use(v2, v3);');
    expect(simplified(lines).map(({ from }) => from)).toEqual([[0], [1, 2], [3]]);
  });
});
