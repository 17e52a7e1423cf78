import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, expectTypeOf, test } from 'vitest';
import type { Operator } from './graph.ts';
import { type Kind, kindNamed, kindText } from './kind.ts';

const PLANTED = fileURLToPath(new URL('../analysis/planted.ts', import.meta.url));

/** What the compiler says of a module that would stand in `analysis/`. Its one import is all that it has to read. */
function faultsOf(text: string): string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2015.d.ts'],
    module: ts.ModuleKind.NodeNext,
    strict: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = file => file === PLANTED || fileExists(file);
  host.readFile = file => (file === PLANTED ? text : readFile(file));
  host.getSourceFile = (file, ...rest) =>
    file === PLANTED ? ts.createSourceFile(file, text, ts.ScriptTarget.ES2023) : getSourceFile(file, ...rest);
  const program = ts.createProgram([PLANTED], options, host);
  const source = program.getSourceFile(PLANTED);
  return program
    .getSemanticDiagnostics(source)
    .map(({ code, start = 0 }) => `${(source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1}: TS${code}`);
}

test('an operator cannot be judged by its kind: the compiler refuses to compare one with a text', () => {
  expectTypeOf<Operator['kind']>().toEqualTypeOf<Kind>();
  const planted = `import { type Kind, kindText } from '../model/kind.ts';
    export const printed = (kind: Kind) => kindText(kind);
    export const compared = (kind: Kind) => kind === 'map';
    export const among = (kind: Kind) => new Set(['map']).has(kind);
    export const matched = (kind: Kind) => /map/.test(kind);
    export function switched(kind: Kind) {
      switch (kind) {
        case 'map': return true;
        default: return false;
      }
    }`;
  expect(faultsOf(planted)).toEqual(['3: TS2367', '4: TS2345', '5: TS2345', '8: TS2678']);
});

test('it can be printed', () => {
  expect(kindText(kindNamed('map'))).toBe('map');
});
