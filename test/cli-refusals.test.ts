import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();

afterAll(() => shop.remove());

interface Refusal {
  readonly about: string;
  readonly args: readonly string[];
  readonly code: number;
  /** All of them must be said. */
  readonly says: readonly RegExp[];
}

const syntaxError =
  "import { pipeline, range } from 'venturi/engine';\nexport default pipeline(import.meta, {}, () =>\n  range(10).map(x => x +* 2));\n";

const refusals: readonly Refusal[] = [
  {
    about: 'a syntax error in TypeScript, with its place and an excerpt',
    args: ['run', 'syntax.ts'],
    code: 2,
    says: [/VENTURI_PIPELINE_SYNTAX/, /\/syntax\.ts:3:25: /, /\n\s+range\(10\)\.map\(x => x \+\* 2\)\);\n {28}\^\n/],
  },
  {
    about: 'a syntax error in JavaScript, with its place and an excerpt',
    args: ['run', 'syntax.js'],
    code: 2,
    says: [/VENTURI_PIPELINE_SYNTAX/, /\/syntax\.js:3:25: /, /\n\s+range\(10\)\.map\(x => x \+\* 2\)\);\n {28}\^\n/],
  },
  {
    about: 'a syntax error in the first line of a file',
    args: ['run', 'first-line.ts'],
    code: 2,
    says: [/\/first-line\.ts:1:8: /, /\n {4}export « default import\.meta;\n {11}\^\n/],
  },
  {
    about: 'an import that leads nowhere',
    args: ['run', 'import.ts'],
    code: 2,
    says: [/VENTURI_PIPELINE_IMPORT/, /\/import\.ts:1:\d+: .*no-such-package/, /install/],
  },
  {
    about: 'a file that throws while it is imported, with the line that did',
    args: ['run', 'throws-at-once.ts'],
    code: 2,
    says: [/VENTURI_PIPELINE_IMPORT: .*not today/, /\n {4}at .*\/throws-at-once\.ts:2:\d+\)?\n/],
  },
  {
    about: 'a file without default export',
    args: ['run', 'no-default.ts'],
    code: 2,
    says: [/VENTURI_NO_DEFAULT_EXPORT/, /export default/],
  },
  {
    about: 'a default export that is no pipeline',
    args: ['run', 'number.ts'],
    code: 2,
    says: [/VENTURI_NOT_A_PIPELINE: .*number/],
  },
  {
    about: 'two operators of one name, with both places',
    args: ['run', 'twins.ts'],
    code: 2,
    says: [/VENTURI_DUPLICATE_NAME: .*'twin'.*\/twins\.ts:4 and .*\/twins\.ts:5/],
  },
  {
    about: 'an unknown parameter',
    args: ['run', 'even.ts', '--param', 'm=3'],
    code: 2,
    says: [/VENTURI_BAD_PARAMETER: .*'m'/, /it takes n/],
  },
  {
    about: 'a parameter of another type',
    args: ['run', 'even.ts', '--param', 'n=many'],
    code: 2,
    says: [/VENTURI_BAD_PARAMETER: .*'n'.*'many'/],
  },
  {
    about: 'a parameter without value',
    args: ['run', 'even.ts', '--param', 'n'],
    code: 2,
    says: [/VENTURI_BAD_PARAMETER/, /name=value/],
  },
  {
    about: 'a file that is not there',
    args: ['run', 'nothing.ts'],
    code: 2,
    says: [/VENTURI_PIPELINE_NOT_FOUND: .*\/nothing\.ts/],
  },
  { about: 'a path through a file', args: ['run', 'even.ts/x.ts'], code: 2, says: [/VENTURI_PIPELINE_NOT_FOUND/] },
  {
    about: 'a folder in place of a file',
    args: ['run', '.'],
    code: 2,
    says: [/VENTURI_NOT_A_PIPELINE: .* is a folder/],
  },
  {
    about: 'a file of another kind',
    args: ['run', 'notes.txt'],
    code: 2,
    says: [/VENTURI_NOT_A_PIPELINE: .*neither TypeScript nor JavaScript/],
  },
  {
    about: 'settings of an operator that is not there',
    args: ['run', 'even.ts', '--set', 'odd.parallelism=2'],
    code: 2,
    says: [/VENTURI_UNKNOWN_OPERATOR: .*'odd'/, /'even', 'next'/],
  },
  {
    about: 'an unknown setting',
    args: ['run', 'even.ts', '--set', 'even.speed=2'],
    code: 2,
    says: [/VENTURI_BAD_OPTION: 'even\.speed=2'/, /OPERATOR\.parallelism=2/],
  },
  {
    about: 'a bad length of time',
    args: ['run', 'even.ts', '--for', 'banana'],
    code: 2,
    says: [/--for: 'banana'/, /10s/],
  },
  { about: 'a bad size', args: ['run', 'even.ts', '--memory', '3'], code: 2, says: [/--memory: '3'/, /64MB/] },
  {
    about: 'a memory too small for any channel',
    args: ['run', 'even.ts', '--memory', '1kB'],
    code: 2,
    says: [/VENTURI_BUDGET_TOO_SMALL/, /at least \d+/],
  },
  { about: 'a bad number', args: ['run', 'even.ts', '--epochs', '0'], code: 2, says: [/--epochs: '0'/] },
  {
    about: 'an unknown verb, with a suggestion',
    args: ['rnu', 'even.ts'],
    code: 2,
    says: [/'rnu'/, /Did you mean run\?/],
  },
  {
    about: 'an unknown option, with a suggestion',
    args: ['run', 'even.ts', '--recrod', 'x'],
    code: 2,
    says: [/'--recrod'/, /Did you mean --record\?/],
  },
  { about: 'a verb without its argument', args: ['run'], code: 2, says: [/VENTURI_USAGE: .*pipeline/] },
  {
    about: 'a run that is not there',
    args: ['info', 'nothing'],
    code: 3,
    says: [/VENTURI_RUN_NOT_FOUND: .*nothing\.venturi/],
  },
  { about: 'a run below a file', args: ['info', 'even.ts/x'], code: 3, says: [/VENTURI_RUN_NOT_FOUND/] },
  {
    about: 'a pipeline in place of a run',
    args: ['info', 'even.ts'],
    code: 3,
    says: [/VENTURI_RUN_UNREADABLE/, /--record/],
  },
];

describe('what cannot be done is refused with a code, a reason and a remedy', () => {
  beforeAll(() => {
    shop.pipeline('even.ts', "range(p.n).filter(x => x % 2 === 0, { name: 'even' }).map(x => x + 1, { name: 'next' })");
    shop.write('syntax.ts', syntaxError);
    shop.write('syntax.js', syntaxError);
    shop.write('first-line.ts', 'export « default import.meta;\n');
    shop.write('import.ts', "import { x } from 'no-such-package';\nexport default x;\n");
    shop.write('throws-at-once.ts', "const when: string = 'today';\nthrow new Error('not ' + when);\n");
    shop.write('no-default.ts', 'export const x: number = 1;\n');
    shop.write('number.ts', 'export default 1;\n');
    shop.write('notes.txt', 'range(10)\n');
    shop.pipeline('twins.ts', "range(p.n).map(x => x, { name: 'twin' })\n  .map(x => x, { name: 'twin' })");
  });

  it.each(refusals.map(refusal => [refusal.about, refusal] as const))('%s', async (_, { args, code, says }) => {
    const { stdout, stderr, ...ended } = await shop.venturi(...args, '--json');
    for (const pattern of says) expect(stderr).toMatch(pattern);
    expect(stderr).toMatch(/^→ ./m);
    expect(stderr).not.toMatch(/bug in Venturi/);
    expect(ended.code).toBe(code);
    // The same for programs: one object and nothing else.
    const { schemaVersion, error } = JSON.parse(stdout);
    expect(schemaVersion).toBe(1);
    expect(stderr).toContain(`error ${error.code}: ${error.message}`);
    expect(error.remedy).toEqual(expect.any(String));
    expect(shop.leftovers()).toEqual([]);
  });

  it('and nothing is on stdout where no program asked for it', async () => {
    const { code, stdout } = await shop.venturi('run', 'nothing.ts');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});
