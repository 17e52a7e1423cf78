import type { ArgumentName } from './call-edit.ts';
import type { ArgumentChanges } from './constructor-rules.ts';
import { type LoaderCall, loaderCall, wayOf } from './loader-call.ts';
import { argumentsFrom, callsOnLine } from './python-call.ts';

/** A frame of the author's own while a loader was made. */
export interface SourceFrame {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly function: string;
}

/** A call at which a loader's arguments can be given: its constructor's, or that of a function which hands them on. */
export interface CallLevel {
  readonly frame: SourceFrame;
  readonly source: string;
  readonly maker: LoaderCall;
  readonly nameOf: ArgumentName;
  /** What is to be given here; what follows from it further in is left out. */
  readonly changes: ArgumentChanges;
}

/**
 * The calls at which changes can be made, from the loader's own outwards: where `build(data, workers)` hands its parameter on
 * to the loader, the line that calls `build` is another.
 */
export function callLevels(
  frames: readonly SourceFrame[],
  sourceOf: (file: string) => string | undefined,
  changes: ArgumentChanges,
): CallLevel[] {
  const levels: CallLevel[] = [];
  for (const frame of frames) {
    const source = sourceOf(frame.file);
    if (source === undefined) break;
    const within = levels.at(-1);
    const maker = within === undefined ? loaderCall(source, frame.line) : callerOf(within, frame, source);
    if (maker === undefined) break;
    levels.push(
      'nameOf' in maker ? { frame, source, ...maker } : { frame, source, maker, nameOf: name => name, changes },
    );
  }
  return levels;
}

/** The call of the function in which a loader is made, where every changed argument is a parameter of it. */
function callerOf(
  { frame, source, maker, nameOf, changes: { set, drop } }: CallLevel,
  outer: SourceFrame,
  outerSource: string,
): Pick<CallLevel, 'maker' | 'nameOf' | 'changes'> | undefined {
  const made = definitionAround(source, frame);
  if (made === undefined || maker.call.arguments.some(({ stars }) => stars > 0)) return undefined;
  const calls = callsOnLine(outerSource, outer.line).filter(({ callee }) => /\w+$/.exec(callee)?.[0] === made.name);
  const [call, another] = calls;
  if (call === undefined || another !== undefined) return undefined;
  const names = new Map<string, string>();
  const parameterOf = (name: string): string | undefined => {
    const value = expressionOf(maker, nameOf(name));
    return value !== undefined && made.parameters.includes(value) && !made.isAssigned(value) ? value : undefined;
  };
  const workers = parameterOf('num_workers') ?? '';
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(set)) {
    const parameter = parameterOf(name);
    if (parameter !== undefined) {
      names.set(name, parameter);
      given[name] = value;
    } else if (!follows(maker, nameOf, set, name, workers)) return undefined;
  }
  for (const dropped of drop) {
    const parameter = parameterOf(dropped.name);
    if (parameter !== undefined) names.set(dropped.name, parameter);
    else if (!isSettledBy(maker, nameOf, dropped, workers)) return undefined;
  }
  return {
    maker: { call, positional: made.positional, elsewhere: undefined, accepts: made.parameters },
    nameOf: name => names.get(name),
    changes: { set: given, drop },
  };
}

/** What stands at the call for an argument; undefined where nothing does, or it is hidden. */
export function expressionOf(maker: LoaderCall, name: string | undefined): string | undefined {
  const way = name === undefined ? undefined : wayOf(maker, name);
  return way !== undefined && (way.by === 'name' || way.by === 'position') ? way.argument.value : undefined;
}

/** `w > 0` and the like: whether there are workers. */
const questions = (workers: string): string[] => [
  `bool(${workers})`,
  ...[' > ', '>', ' != ', '!='].map(sign => `${workers}${sign}0`),
];
const isQuestion = (value: string, workers: string): boolean =>
  questions(workers).includes(value.replace(/\s+/g, ' ').replace(/^\((.*)\)$/, '$1'));

/** Whether an argument comes out as wanted by itself, once `workers` is what it is to be: `persistent_workers=w > 0`. */
export function follows(
  maker: LoaderCall,
  nameOf: ArgumentName,
  set: ArgumentChanges['set'],
  name: string,
  workers: string,
): boolean {
  return (
    name === 'persistent_workers' &&
    set.num_workers !== undefined &&
    workers !== '' &&
    isQuestion(expressionOf(maker, nameOf(name)) ?? '', workers)
  );
}

/**
 * Whether an argument that only workers have needs no edit of its own once `workers` is 0: it is not there, or comes out neutral by
 * itself, as `4 if w > 0 else None` does.
 */
export function isSettledBy(
  maker: LoaderCall,
  nameOf: ArgumentName,
  { name, neutral }: ArgumentChanges['drop'][number],
  workers: string,
): boolean {
  const called = nameOf(name);
  if (called === undefined) return true;
  const way = wayOf(maker, called);
  if (way.by === 'nothing') return maker.elsewhere !== undefined && !maker.elsewhere.includes(called);
  if (way.by !== 'name' || workers === '') return false;
  if (name === 'persistent_workers' && isQuestion(way.argument.value, workers)) return true;
  const value = way.argument.value.replace(/\s+/g, ' ');
  const none = [`not ${workers}`, `${workers} == 0`, `${workers}==0`, `${workers} < 1`];
  return (
    [workers, ...questions(workers)].some(test => value.endsWith(` if ${test} else ${neutral}`)) ||
    none.some(test => value.startsWith(`${neutral} if ${test} else `))
  );
}

interface Definition {
  /** What a call of it reads: of a constructor the class. */
  readonly name: string;
  readonly parameters: readonly string[];
  /** Those that may stand without their name. */
  readonly positional: readonly string[];
  /** Whether a parameter may be something else by the time the loader is made. */
  isAssigned(parameter: string): boolean;
}

/** The function that a frame is in. */
function definitionAround(source: string, frame: SourceFrame): Definition | undefined {
  if (!/^\w+$/.test(frame.function)) return undefined;
  const before = source.split('\n').slice(0, frame.line).join('\n');
  const start = before.lastIndexOf('\n');
  const head = [...before.matchAll(new RegExp(`\\bdef\\s+${frame.function}\\s*\\(`, 'g'))].at(-1);
  const found = head && argumentsFrom(source, head.index + head[0].length);
  if (head === undefined || found === undefined) return undefined;
  const texts = found.arguments.map(({ from, to }) => source.slice(from, to));
  const isMethod = /^(?:self|cls)\b/.test(texts[0] ?? '');
  const parameters = (texts: readonly string[]): string[] => texts.flatMap(text => /^\w+/.exec(text)?.[0] ?? []);
  const stars = texts.findIndex(text => text.startsWith('*'));
  const from = isMethod ? 1 : 0;
  const isConstructor = frame.function === '__init__';
  const holder = [...source.slice(0, head.index).matchAll(/^[ \t]*class\s+(\w+)/gm)].at(-1)?.[1];
  return {
    name: isConstructor ? (holder ?? '') : frame.function,
    parameters: parameters(texts).slice(from),
    positional: parameters(stars === -1 ? texts : texts.slice(0, stars)).slice(from),
    isAssigned: parameter =>
      new RegExp(`\\b${parameter}\\s*(?:[-+*/%&|]|//)?=(?!=)`).test(before.slice(found.close, start)),
  };
}
