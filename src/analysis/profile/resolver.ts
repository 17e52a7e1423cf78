import { AUTHOR_FILE } from '../../model/frame-names.ts';
import { AUTHOR_LINES, GENERATED_LINES, WAITING_LINE } from '../../model/line-ranges.ts';
import type { Frame, LaneDictionary } from '../../model/profile.ts';
import {
  callersIn,
  enteredFrom,
  functionAt,
  loopLines,
  operatorBehind,
  operatorsIn,
  ownersAt,
  tasksAt,
} from './generated-code.ts';
import { type ModulePart, partOf } from './modules.ts';
import type { JointOwner, Owner, RuntimeOwner, TaskOwner } from './owner.ts';

/** V8's names for what is no function. */
const SPECIAL: Readonly<Record<string, RuntimeOwner['kind']>> = {
  '(garbage collector)': 'collection',
  '(compiler)': 'compilation',
  '(idle)': 'idle',
  '(program)': 'native',
  '(root)': 'native',
};

/** An operator's function among the lane's: first and last line, from 1, and where it begins as frames have it. */
interface Called {
  readonly operator: string;
  readonly key: string;
  readonly first: number;
  readonly last: number;
  readonly mentions: ReadonlySet<string>;
}

const keyOf = (line: number, column: number): string => `${line}:${column}`;

/**
 * Leads samples of one thread back to their owners. A generated line says all. A line of the author's lies in the function of an operator, or
 * in one that operators' functions call: then those on the stack decide, and where V8 compiled them into the loop and they left no frame,
 * those seen above it at other times. A sample in neither belongs to the part of the engine that is next on its stack.
 */
export class Resolver {
  readonly #lanes: readonly LaneDictionary[];
  readonly #frames: ReadonlyMap<number, Frame>;
  readonly #called: readonly Called[];
  readonly #known = new Map<string, Owner | JointOwner>();
  /** Of the author's functions that are no operator's: the operators seen above each, by the line it begins at, in order. */
  #helpers: readonly { readonly line: number; readonly operators: ReadonlySet<string> }[] | undefined;

  constructor(lanes: readonly LaneDictionary[], frames: ReadonlyMap<number, Frame>) {
    this.#lanes = lanes;
    this.#frames = frames;
    this.#called = lanes.flatMap(({ operators, functions }) =>
      functions.map(({ operator, line, column, lines, mentions }) => ({
        operator: operators[operator] ?? '',
        key: keyOf(line, column),
        first: line + 1,
        last: line + lines,
        mentions: new Set(mentions),
      })),
    );
  }

  ownerOf(node: number, line: number): Owner | JointOwner {
    const key = `${node}/${line}`;
    let owner = this.#known.get(key);
    if (owner === undefined) {
      owner = this.#resolve(node, line);
      this.#known.set(key, owner);
    }
    return owner;
  }

  #resolve(node: number, line: number): Owner | JointOwner {
    const frame = this.#frames.get(node);
    if (frame === undefined) return { kind: 'outside' };
    const [, , name, file] = frame;
    const special = file === '' ? SPECIAL[name] : undefined;
    if (special !== undefined) return { kind: special };
    if (line >= GENERATED_LINES) return this.#nested(this.#ofGenerated(line), node);
    if (line === WAITING_LINE) return { kind: 'idle' };
    if (line >= AUTHOR_LINES) {
      const own = this.#functionAt(line);
      if (own.length === 1) return { kind: 'operator', operator: own[0] ?? '', task: 'call', by: 'function' };
    }
    return this.#ofStack(node, line);
  }

  #ofGenerated(line: number): Owner | JointOwner {
    for (const lane of this.#lanes) {
      const loop = lane.loops.findLast(({ firstLine }) => firstLine <= line);
      if (loop === undefined) continue;
      const at = line - loop.firstLine;
      const [task] = tasksAt(loop, at, lane.tasks);
      if (task === undefined) continue;
      const tasks = ownersAt(loop, at, lane);
      const [own] = tasks;
      if (tasks.length > 1) return { kind: 'joint', tasks, line };
      if (own !== undefined) return { kind: 'operator', ...own, line, by: 'line' };
      const before = operatorBehind(loop, at, lane);
      const engine: Owner = { kind: 'engine', task: task.name, line, ...(before === undefined ? {} : { before }) };
      const entered = enteredFrom(loop, at);
      return entered.length === 0 ? engine : (this.#ofCallers(callersIn(loop, entered, lane)) ?? engine);
    }
    // A loop of a pipeline that an operator opened inside its lane.
    return this.#origin('open') ?? { kind: 'outside' };
  }

  /**
   * The owner of what the generated function that begins at `line` calls: of a helper or a comparison that is an operator's own; else of those
   * lines of the function that call something of that name.
   */
  #ofCallee(line: number, name: string): Owner | undefined {
    for (const lane of this.#lanes) {
      const loop = lane.loops.findLast(({ firstLine }) => firstLine <= line);
      const first = line - (loop?.firstLine ?? 0);
      if (loop === undefined || loopLines(loop)[first] === undefined) continue;
      const own = functionAt(loop, first);
      return this.#ofCallers(operatorsIn(loop, own, lane) ?? callersIn(loop, [own], lane, name));
    }
    return undefined;
  }

  #ofCallers(callers: readonly TaskOwner[]): Owner | undefined {
    const operators = [...new Set(callers.map(({ operator }) => operator))];
    const [first] = callers;
    if (first === undefined) return undefined;
    return operators.length === 1
      ? { kind: 'operator', operator: first.operator, task: first.task, by: 'stack' }
      : { kind: 'shared', operators };
  }

  /** Work of a query is also work of the operator that runs it. */
  #nested<Found extends Owner | JointOwner>(owner: Found, node: number): Found {
    const operator =
      owner.kind === 'operator' ? owner.operator : owner.kind === 'joint' ? owner.tasks[0]?.operator : '';
    if (operator === undefined || !this.#isOfQuery(operator)) return owner;
    for (const [, , , , start, column] of this.#stackOf(node)) {
      const within = this.#called.find(({ key }) => key === keyOf(start, column))?.operator;
      if (within !== undefined) return { ...owner, within };
    }
    return owner;
  }

  #isOfQuery(operator: string): boolean {
    return this.#lanes.some(({ isQuery, operators }) => isQuery === true && operators.includes(operator));
  }

  /** Operators whose function the line lies in: of nested functions the inner one. */
  #functionAt(line: number): string[] {
    const around = this.#called.filter(({ first, last }) => first <= line && line <= last);
    const least = Math.min(...around.map(({ first, last }) => last - first));
    return [...new Set(around.filter(({ first, last }) => last - first === least).map(({ operator }) => operator))];
  }

  #origin(task: string): Owner | undefined {
    const operator = this.#lanes.find(({ isQuery }) => isQuery !== true)?.operators[0];
    return operator === undefined ? undefined : { kind: 'operator', operator, task, by: 'stack' };
  }

  /** From the innermost frame outwards, up to the first that decides. */
  #ofStack(node: number, line: number): Owner {
    let candidates: readonly string[] = line >= AUTHOR_LINES ? this.#functionAt(line) : [];
    let isAuthors = line >= AUTHOR_LINES;
    let serves: ModulePart | undefined;
    let callee = '';
    for (const [, , name, file, start, column] of this.#stackOf(node)) {
      const called = this.#called.filter(({ key }) => key === keyOf(start, column)).map(({ operator }) => operator);
      if (called.length > 0) {
        candidates = candidates.length === 0 ? called : narrowed(candidates, called);
        if (candidates.length === 1)
          return { kind: 'operator', operator: candidates[0] ?? '', task: 'call', by: 'stack' };
        continue;
      }
      if (file === AUTHOR_FILE) isAuthors = true;
      const part = partOf(file);
      if (part !== undefined) {
        serves = part;
        break;
      }
      if (file.startsWith('venturi:')) {
        serves = undefined;
        const generated = candidates.length === 0 && !isAuthors ? this.#ofCallee(start + 1, callee) : undefined;
        if (generated !== undefined) return this.#nested(generated, node);
        if (candidates.length === 0) candidates = this.#candidates(line, isAuthors, file);
        break;
      }
      callee = name;
    }
    if (candidates.length === 0 && isAuthors) candidates = this.#candidates(line, true, undefined);
    if (candidates.length === 1) return { kind: 'operator', operator: candidates[0] ?? '', task: 'call', by: 'stack' };
    if (candidates.length > 1) return { kind: 'shared', operators: candidates };
    if (serves === undefined) return { kind: 'outside' };
    return (serves.isOrigin ? this.#origin(serves.task) : undefined) ?? { kind: 'engine', task: serves.task };
  }

  *#stackOf(node: number): Generator<Frame, void, undefined> {
    for (let frame = this.#frames.get(node); frame !== undefined; frame = this.#frames.get(frame[1])) yield frame;
  }

  /** Operators that may have called what is inlined at `line`: those seen above it elsewhere, else all of the loop that call something. */
  #candidates(line: number, isAuthors: boolean, file: string | undefined): readonly string[] {
    if (isAuthors && line >= AUTHOR_LINES) {
      this.#helpers ??= this.#helpersSeen();
      const helper = this.#helpers.findLast(each => each.line < line);
      if (helper !== undefined && helper.operators.size > 0) return [...helper.operators];
    }
    const within = this.#lanes.filter(({ loops }) => file === undefined || loops.some(loop => loop.file === file));
    return [
      ...new Set(within.flatMap(({ operators, functions }) => functions.map(each => operators[each.operator] ?? ''))),
    ];
  }

  #helpersSeen(): { readonly line: number; readonly operators: ReadonlySet<string> }[] {
    const seen = new Map<number, Set<string>>();
    for (const [number, , , file, start] of this.#frames.values()) {
      if (file !== AUTHOR_FILE) continue;
      const operators = seen.get(start) ?? new Set();
      seen.set(start, operators);
      for (const { operator } of this.#callersOf(number)) operators.add(operator);
    }
    return [...seen].map(([line, operators]) => ({ line, operators })).sort((a, b) => a.line - b.line);
  }

  /**
   * Operators whose function was seen on the stack of a function of the author's, and those whose function names it, or one that was seen to call it:
   * that a call was not seen does not say that there is none.
   */
  #callersOf(node: number): readonly Called[] {
    const names = new Set<string>();
    for (const [, , name, file, start, column] of this.#stackOf(node)) {
      const called = this.#called.filter(({ key }) => key === keyOf(start, column));
      if (called.length > 0 && names.size === 0) return called;
      const naming = this.#called.filter(({ mentions }) => [...names].some(each => mentions.has(each)));
      if (called.length > 0) return [...called, ...naming];
      if (file !== AUTHOR_FILE) return naming;
      if (name !== '') names.add(name);
    }
    return [];
  }
}

/** Those of `candidates` that are among `others`; all of them where none is. */
function narrowed(candidates: readonly string[], others: readonly string[]): readonly string[] {
  const both = candidates.filter(each => others.includes(each));
  return both.length === 0 ? candidates : both;
}
