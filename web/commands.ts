import type { PageDocument } from '../src/report/page/document.ts';

export interface Command {
  readonly kind: 'section' | 'operator';
  readonly id: string;
  readonly label: string;
}

const MOST = 12;

/** Sections of a page, and operators of its runs. */
export function commandsOf({ sections }: PageDocument): Command[] {
  const operators = new Map(
    sections.flatMap(section => {
      if (section.kind === 'diagnosis' || section.kind === 'prediction')
        return graphNames(section.data.graph.operators);
      return section.kind === 'run' ? graphNames(section.data.manifest.graph?.operators ?? []) : [];
    }),
  );
  return [
    ...sections.map(({ id, title }): Command => ({ kind: 'section', id, label: title })),
    ...[...operators].map(
      ([id, label]): Command => ({ kind: 'operator', id, label: label === id ? id : `${label} (${id})` }),
    ),
  ];
}

const graphNames = (operators: readonly { readonly id: string; readonly label: string }[]): [string, string][] =>
  operators.map(({ id, label }) => [id, label]);

/** Those whose letters come in this order; what begins with them goes first. */
export function matching(commands: readonly Command[], text: string): Command[] {
  const wanted = text.trim().toLowerCase();
  const rank = ({ label }: Command): number => {
    const name = label.toLowerCase();
    if (name.startsWith(wanted)) return 0;
    if (name.includes(wanted)) return 1;
    let at = 0;
    for (const letter of name) if (letter === wanted[at]) at++;
    return at === wanted.length ? 2 : 3;
  };
  return commands
    .map(command => ({ command, rank: rank(command) }))
    .filter(each => each.rank < 3)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map(({ command }) => command);
}
