import type { LaneDictionary, LoopDictionary } from '../../model/profile.ts';
import type { TaskOwner } from './owner.ts';

/** Texts of loops by line, from 0. */
const texts = new WeakMap<LoopDictionary, readonly string[]>();

export function loopLines(loop: LoopDictionary): readonly string[] {
  const known = texts.get(loop) ?? loop.text.split('\n');
  texts.set(loop, known);
  return known;
}

type Task = LaneDictionary['tasks'][number];

/** The tasks of a line, from 0: several where it computes something for several. */
export function tasksAt({ lines }: LoopDictionary, at: number, tasks: readonly Task[]): readonly Task[] {
  const [, , ...own] = lines.find(([first, last]) => first <= at && at <= last) ?? [];
  return own.flatMap(task => tasks[task] ?? []);
}

/** Those of them that are an operator's. */
export const ownersAt = (
  loop: LoopDictionary,
  at: number,
  { tasks, operators }: Pick<LaneDictionary, 'tasks' | 'operators'>,
): readonly TaskOwner[] =>
  tasksAt(loop, at, tasks).flatMap(({ operator: place, name }) => {
    const operator = operators[place];
    return operator === undefined ? [] : [{ operator, task: name }];
  });

type Lines = readonly [first: number, last: number];

/** The lines of the block that begins at line `first`: generated code is indented. */
export function functionAt(loop: LoopDictionary, first: number): Lines {
  const lines = loopLines(loop);
  const closing = `${/^ */.exec(lines[first] ?? '')?.[0] ?? ''}}`;
  const last = lines.findIndex((line, at) => at > first && line.startsWith(closing));
  return [first, last < 0 ? lines.length - 1 : last];
}

/** The lines of those functions of the script that line `at` calls. */
export function enteredFrom(loop: LoopDictionary, at: number): Lines[] {
  const text = loopLines(loop)[at] ?? '';
  if (/^\s*function /.test(text)) return [];
  const names = new Set(text.match(/[A-Za-z_]\w*/g) ?? []);
  return loopLines(loop).flatMap((line, first) => {
    const name = /^\s*function (\w+)\(/.exec(line)?.[1];
    return name !== undefined && names.has(name) ? [functionAt(loop, first)] : [];
  });
}

/** The only operator that has lines in a function, with the task of the first of them; undefined where several have some, or none. */
export function operatorsIn(
  loop: LoopDictionary,
  [first, last]: Lines,
  lane: LaneDictionary,
): readonly TaskOwner[] | undefined {
  const owners: TaskOwner[] = [];
  for (let at = first; at <= last; at++) owners.push(...ownersAt(loop, at, lane));
  return new Set(owners.map(({ operator }) => operator)).size === 1 ? owners.slice(0, 1) : undefined;
}

/** A call of something that is no function of `Math`, which V8 compiles into the loop. */
const CALL = /(?<!\bMath)\.\w+\(|\bnew \w+\(|\b(?!if|for|while|return|function|catch)[A-Za-z_]\w*\(/;

/** Work on texts, for which V8 calls code without a frame of its own. */
const TEXT_WORK = /(?<!\bMath)\.\w+\(|[!=]== "|\bt\d+ [!=<>]/;

/** Operators with lines in `ranges` that call something: of the name `callee`, or without a frame where none is given; any where no line does that. */
export function callersIn(
  loop: LoopDictionary,
  ranges: readonly Lines[],
  lane: LaneDictionary,
  callee?: string,
): readonly TaskOwner[] {
  const calling = ranges.flatMap(([first, last]) =>
    loopLines(loop).flatMap((text, at) => {
      if (at <= first || at > last || !(CALL.test(text) || TEXT_WORK.test(text))) return [];
      return ownersAt(loop, at, lane).map(owner => ({ ...owner, text }));
    }),
  );
  const wanted = callee?.startsWith('RegExp: ') === true ? 'test' : callee;
  const likely = calling.filter(({ text }) =>
    wanted === undefined ? TEXT_WORK.test(text) : text.includes(`${wanted}(`),
  );
  return likely.length > 0 ? likely : calling;
}

/** The operator to which the lines behind line `at` lead without a branch or the end of a block. */
export function operatorBehind(loop: LoopDictionary, at: number, lane: LaneDictionary): string | undefined {
  for (const [next, line] of loopLines(loop).entries()) {
    if (next <= at) continue;
    const [owner] = ownersAt(loop, next, lane);
    if (owner !== undefined) return owner.operator;
    if (line.includes('}') || line.includes('function ')) return undefined;
  }
  return undefined;
}
