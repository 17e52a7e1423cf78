import type { CodeLine } from '../coder.ts';
import type { PassResult } from './code-pass.ts';
import { arraysIn, definitionOf, isHarmless, namesIn, renamed } from './statement.ts';

/** Arrays that nobody writes to while a pipeline runs come from outside or from pipelines before. */
const FROM_OUTSIDE = /^(inputs\[|state\.)/;
const LOOP = /\bfor \(let (\w+) = /;

/**
 * What is computed twice of the same values is computed once, and belongs to both who asked. Blocks are kept apart: what a block computes is at hand in those inside it, and not
 * behind it.
 */
export function shareSubexpressions(lines: readonly CodeLine[]): PassResult {
  const names = new Map<string, string>();
  const stable = new Set(['Math']);
  const readOnly = new Set<string>();
  const after: CodeLine[] = [];
  const blocks: Map<string, number>[] = [new Map()];
  for (const { text, from } of lines) {
    if (text.startsWith('}')) blocks.pop();
    const own = renamed(text, names);
    const definition = definitionOf(own);
    const loop = LOOP.exec(own)?.[1];
    if (loop !== undefined) stable.add(loop);
    if (definition === undefined) {
      after.push({ text: own, from });
    } else {
      const { name, expression } = definition;
      const isPure =
        isHarmless(expression) &&
        namesIn(expression).every(each => stable.has(each)) &&
        arraysIn(expression).every(each => readOnly.has(each));
      const at = isPure ? blocks.findLast(block => block.has(expression))?.get(expression) : undefined;
      const known = at === undefined ? undefined : after[at];
      const first = known === undefined ? undefined : definitionOf(known.text)?.name;
      if (at !== undefined && known !== undefined && first !== undefined) {
        names.set(name, first);
        after[at] = { text: known.text, from: [...known.from, ...from] };
      } else {
        if (isPure) blocks.at(-1)?.set(expression, after.length);
        after.push({ text: own, from });
      }
      stable.add(name);
      if (FROM_OUTSIDE.test(expression)) readOnly.add(name);
    }
    if (text.endsWith('{')) blocks.push(new Map());
  }
  return { lines: after, dropped: [] };
}
