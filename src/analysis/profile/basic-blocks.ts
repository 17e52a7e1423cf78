import { lineOwners, type ProfiledLine, type ProfiledLoop } from './profiled-lines.ts';

/** Lines of generated code that run one after the other: nothing branches into their midst or out of it. */
export interface BasicBlock {
  readonly stage: string;
  readonly file: string;
  /** From 1; both are part of it. */
  readonly first: number;
  readonly last: number;
  /** What leads into it: the line of its loop, branch or function. */
  readonly within: string;
  /** Loops around it. */
  readonly loops: number;
  readonly hits: number;
  /** Of all samples of lanes at work. */
  readonly share: number;
  /** Whose lines have its samples, the largest part first. */
  readonly owners: readonly { readonly operator: string | undefined; readonly task: string; readonly hits: number }[];
}

const LOOP = /^(?:\w+: )?(?:for|while|do)\b/;
/** The branch is behind such a line. */
const LEAVES = /(?:^|[ )])(?:continue|break|return|throw)\b.*;$|^(?:if|else)\b/;

/** The blocks of generated loops that have samples, those with most of them first. */
export const basicBlocks = (loops: readonly ProfiledLoop[], samples: number): BasicBlock[] =>
  loops
    .flatMap(loop => blocksOf(loop, samples))
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => b.hits - a.hits);

function blocksOf({ stage, file, lines }: ProfiledLoop, samples: number): BasicBlock[] {
  const blocks: BasicBlock[] = [];
  const around: string[] = [];
  let first = 0;
  const end = (next: number): void => {
    if (next > first) {
      const own = lines.slice(first, next);
      const hits = own.reduce((sum, line) => sum + line.hits, 0);
      blocks.push({
        ...{ stage, file, first: first + 1, last: next },
        within: around.at(-1) ?? '',
        loops: around.filter(text => LOOP.test(text)).length,
        ...{ hits, share: samples === 0 ? 0 : hits / samples, owners: ownersOf(own) },
      });
    }
    first = next;
  };
  for (const [at, { text }] of lines.entries()) {
    const line = text.trim();
    if (line.startsWith('}')) {
      end(at);
      around.pop();
    }
    const opens = line.endsWith('{');
    // The condition of a loop runs in each of its turns, what stands before it does not.
    if (opens && LOOP.test(line)) {
      end(at);
      around.push(line);
      end(at + 1);
    } else if (opens) {
      end(at + 1);
      around.push(line);
    } else if (line.startsWith('}') || LOOP.test(line) || LEAVES.test(line)) end(at + 1);
  }
  end(lines.length);
  return blocks;
}

function ownersOf(lines: readonly ProfiledLine[]): BasicBlock['owners'] {
  const sums = new Map<string, { operator: string | undefined; task: string; hits: number }>();
  for (const line of lines) {
    const owners = lineOwners(line);
    for (const { operator, task } of owners) {
      const key = JSON.stringify([operator ?? null, task]);
      const sum = sums.get(key) ?? { operator, task, hits: 0 };
      sums.set(key, sum);
      sum.hits += line.hits / owners.length;
    }
  }
  return [...sums.values()].filter(({ hits }) => hits > 0).sort((a, b) => b.hits - a.hits);
}
