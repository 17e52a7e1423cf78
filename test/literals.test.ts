/**
 * Numbers in the rooms that forecast and tune: each is measured on the machine, or stands as a named constant with its unit and source,
 * and there are few of those. 0, 1 and 2 do not count.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const ROOMS = ['graph', 'prediction', 'tuning', 'workflow/targets'];
/** Numbers in all rooms together. */
const MOST = 60;

interface Literal {
  readonly at: string;
  readonly text: string;
  /** What its place lacks; undefined where it lacks nothing. */
  readonly fault: string | undefined;
}

const isUsual = (text: string): boolean => ['0', '1', '2'].includes(text.replace(/n$/, ''));

/** The value of a constant of the module, and not inside a function of it, with a comment above. */
function faultOf(literal: ts.Node, source: ts.SourceFile): string | undefined {
  for (let node = literal; node.parent !== undefined; node = node.parent) {
    if (ts.isFunctionLike(node)) return 'stands inside a function';
    if (!ts.isVariableStatement(node)) continue;
    if (node.parent !== source || (node.declarationList.flags & ts.NodeFlags.Const) === 0)
      return 'is no constant of its module';
    const isNamed = node.declarationList.declarations.every(({ name }) =>
      /^[A-Z][A-Z0-9_]*$/.test(name.getText(source)),
    );
    if (!isNamed) return 'has no name IN_CAPITALS';
    const comments = ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? [];
    return comments.length === 0 ? 'has no comment above' : undefined;
  }
  return 'is no constant of its module';
}

function literalsIn(path: string, text: string): Literal[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Literal[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isNumericLiteral(node) || ts.isBigIntLiteral(node)) && !isUsual(node.text)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push({ at: `${path}:${line + 1}`, text: node.getText(source), fault: faultOf(node, source) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const literalsOf = (rooms: readonly string[]): Literal[] =>
  rooms
    .flatMap(room => readdirSync(join(ROOT, 'src', room), { recursive: true, withFileTypes: true }))
    .filter(file => file.isFile() && /(?<!\.(test|fixture))\.ts$/.test(file.name))
    .map(file => join(file.parentPath, file.name))
    .flatMap(path => literalsIn(relative(ROOT, path), readFileSync(path, 'utf8')));

it('has few numbers in the rooms that forecast and tune', () => {
  const literals = literalsOf(ROOMS);
  const list = literals.map(({ at, text }) => `${at} ${text}`).join('\n');
  expect(literals.length, `more than ${MOST} numbers other than 0, 1, 2:\n${list}`).toBeLessThanOrEqual(MOST);
});

it('names every number, with a comment that says its unit and source', () => {
  const faulty = literalsOf(ROOMS).filter(({ fault }) => fault !== undefined);
  expect(faulty.map(({ at, text, fault }) => `${at} ${text} ${fault}`)).toEqual([]);
});

it('tells numbers that are named and explained from others', () => {
  const module = `
/** Share. Source: a table. */
export const SLIGHT = 0.1;
const BARE = 5;
/** Seconds. */
const limit = 6;
/** Of batches. */
const FACTORS = { few: (count: number) => count < 7, many: 8 };
/** Bytes. */
let BYTES = 9;
/** A function. */
export function half(value: number): number {
  const PART = 0.5;
  return value > -1 && value !== 2 ? PART * value : 10n > 1n ? 11 : 0;
}
`;
  expect(literalsIn('module.ts', module).map(({ at, text, fault }) => `${at} ${text} ${fault ?? 'is right'}`)).toEqual([
    'module.ts:3 0.1 is right',
    'module.ts:4 5 has no comment above',
    'module.ts:6 6 has no name IN_CAPITALS',
    'module.ts:8 7 stands inside a function',
    'module.ts:8 8 is right',
    'module.ts:10 9 is no constant of its module',
    'module.ts:13 0.5 is no constant of its module',
    'module.ts:14 10n stands inside a function',
    'module.ts:14 11 stands inside a function',
  ]);
});
