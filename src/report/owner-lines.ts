import type { CodeLine } from './tree.ts';
import { pad, textWidth } from './width.ts';

/** Lines of generated code with their number and, in front, who they belong to; told once for neighbours of the same. */
export function ownerLines<Line extends { readonly text: string; readonly operator: string | undefined }>(
  lines: readonly Line[],
  ownerOf: (line: Line) => string,
): CodeLine[] {
  const owners = lines.map(ownerOf);
  const widest = Math.max(0, ...owners.map(textWidth));
  const digits = String(lines.length).length;
  return lines.map((line, at) => {
    const owner = at > 0 && owners[at - 1] === owners[at] ? '' : (owners[at] ?? '');
    const number = String(at + 1).padStart(digits);
    return {
      text: `${pad(owner, widest, 'left')}  ${number}  ${line.text}`,
      tone: line.operator === undefined ? 'muted' : undefined,
    };
  });
}
