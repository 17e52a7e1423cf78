/** Longer than this, the fact is left out: every segment of a lane repeats its dictionary. */
const MOST_TEXT = 16 * 1024;

/** Which operator each line of a generated loop belongs to, as `facts:JSON` in the dictionary of the lane that runs it. */
export interface GeneratedLines {
  /** As stack traces and profiles name it. */
  readonly file: string;
  /** Ids of the operators that have lines in it. */
  readonly operators: readonly string[];
  /** First line, last line and place in `operators` of who owns them; all other lines are the engine's own. Numbered as in stack traces. */
  readonly lines: readonly (readonly [number, number, number])[];
}

/** The fact about a loop. `owners`: by line from 1 on, the operator's id; `firstLine`: the number that line 1 has in stack traces. */
export function generatedLines(file: string, owners: readonly (string | undefined)[], firstLine = 1): GeneratedLines {
  const operators: string[] = [];
  const lines: [number, number, number][] = [];
  for (const [at, owner] of owners.entries()) {
    if (owner === undefined) continue;
    const line = firstLine + at - 1;
    if (!operators.includes(owner)) operators.push(owner);
    const place = operators.indexOf(owner);
    const last = lines.at(-1);
    if (last?.[1] === line - 1 && last[2] === place) last[1] = line;
    else lines.push([line, line, place]);
  }
  return { file, operators, lines };
}

/** As JSON; undefined where it is too long to be written. */
export function generatedLinesFact(generated: GeneratedLines): string | undefined {
  const json = JSON.stringify({ generated });
  return json.length > MOST_TEXT ? undefined : json;
}

/** The id of the operator that owns `line`; undefined where the line is the engine's own. */
export function ownerOfLine({ operators, lines }: GeneratedLines, line: number): string | undefined {
  const found = lines.find(([first, last]) => first <= line && line <= last);
  return found === undefined ? undefined : operators[found[2]];
}
