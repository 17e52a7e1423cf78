import type { CodeLine } from '../coder.ts';
import type { PassResult } from './code-pass.ts';
import { definitionOf, isHarmless, namesIn } from './statement.ts';

const VARIABLE = /^let (\w+)(?: = (?:true|false|-?\d+|''))?;$/;

/** What is computed for nobody is not computed. */
export function dropDeadCode(lines: readonly CodeLine[]): PassResult {
  const uses = new Map<string, number>();
  const count = (text: string, by: 1 | -1): void => {
    for (const name of namesIn(text)) uses.set(name, (uses.get(name) ?? 0) + by);
  };
  for (const { text } of lines) count(text, 1);
  const after: CodeLine[] = [];
  const dropped: number[] = [];
  // From the end, so that what only dead code asks for is dead too.
  for (const line of [...lines].reverse()) {
    const definition = definitionOf(line.text);
    const isDead =
      definition === undefined
        ? uses.get(VARIABLE.exec(line.text)?.[1] ?? '') === 1
        : uses.get(definition.name) === 1 && isHarmless(definition.expression);
    if (isDead) {
      count(line.text, -1);
      dropped.push(...line.from);
    } else {
      after.push(line);
    }
  }
  return { lines: after.reverse(), dropped };
}
