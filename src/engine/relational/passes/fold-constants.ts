import type { CodeLine } from '../coder.ts';
import type { PassResult } from './code-pass.ts';
import { constantOf, definitionOf, literal, renamed } from './statement.ts';

const CONDITIONAL = /^if \((.*)\) ((?:continue|break|break rows|[\w.]+\(\)));$/;

/** What consists of constants is computed here, and its value written where its name was; a condition that is one is decided. */
export function foldConstants(lines: readonly CodeLine[]): PassResult {
  const values = new Map<string, string>();
  const after: CodeLine[] = [];
  const dropped: number[] = [];
  for (const { text, from } of lines) {
    const own = renamed(text, values);
    const definition = definitionOf(own);
    const value = definition === undefined ? undefined : constantOf(definition.expression);
    if (definition !== undefined && value !== undefined) {
      values.set(definition.name, literal(value));
      dropped.push(...from);
      continue;
    }
    const [, condition, statement] = CONDITIONAL.exec(own) ?? [];
    const decided = condition === undefined ? undefined : constantOf(condition);
    if (decided === false) dropped.push(...from);
    else after.push({ text: decided === true ? `${statement};` : own, from });
  }
  return { lines: after, dropped };
}
