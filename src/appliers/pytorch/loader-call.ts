import { POSITIONAL } from './constructor-rules.ts';
import { type Argument, callAt, callsOnLine, type PythonCall } from './python-call.ts';

/** The call that makes a loader, and what is known of the one that is called. */
export interface LoaderCall {
  readonly call: PythonCall;
  /** Names of its positional arguments, in their order; undefined where that order is unknown. */
  readonly positional: readonly string[] | undefined;
  /** Arguments that come from elsewhere if the call does not give them; undefined where unknown. */
  readonly elsewhere: readonly string[] | undefined;
  /** Arguments that may be added; undefined where all may. */
  readonly accepts: readonly string[] | undefined;
}

/** Arguments that others' functions take for the loaders they make; what a call names already, it takes too. */
const FACTORIES: Readonly<Record<string, readonly string[]>> = {
  // timm.data
  create_loader: ['num_workers', 'pin_memory', 'persistent_workers'],
};

const PLAIN = ['DataLoader', 'StatefulDataLoader'];

/**
 * The call that makes a loader on a line (from 1) of the author's; undefined where none does, or where it cannot be told
 * which of several does.
 */
export function loaderCall(source: string, line: number): LoaderCall | undefined {
  const calls = callsOnLine(source, line);
  const makers = makersIn(source);
  const known = calls.flatMap(call => {
    const maker = makerOf(source, call, makers);
    return maker === undefined ? [] : [{ call, ...maker }];
  });
  if (known.length > 0) return known.length === 1 ? known[0] : undefined;
  const others = [
    calls.filter(({ callee }) => /Loader$/.test(callee)).map(call => ({ call, ...UNKNOWN, accepts: undefined })),
    calls.flatMap(call => {
      const named = call.arguments.flatMap(({ name }) => name ?? []);
      const factory = FACTORIES[lastName(call.callee)];
      if (factory === undefined && !named.includes('num_workers')) return [];
      // Those we know have these behind many others, where nobody gives them without their names.
      const positional = factory === undefined ? undefined : [];
      return [{ call, positional, elsewhere: undefined, accepts: [...named, ...(factory ?? [])] }];
    }),
  ].find(found => found.length > 0);
  return others?.length === 1 ? others[0] : undefined;
}

type Maker = Omit<LoaderCall, 'call'>;
const CONSTRUCTOR: Maker = { positional: POSITIONAL, elsewhere: [], accepts: undefined };
const UNKNOWN = { positional: undefined, elsewhere: undefined } as const;

const lastName = (callee: string): string => /\w+$/.exec(callee)?.[0] ?? '';

function makerOf(source: string, { callee, from }: PythonCall, makers: ReadonlyMap<string, Maker>): Maker | undefined {
  if (callee === 'super().__init__' || /^super\(\w+,\w+\)\.__init__$/.test(callee)) {
    // The class this stands in is the last one that begins before it.
    const bases = [...source.slice(0, from).matchAll(/^[ \t]*class\s+\w+\s*\(([^)]*)\)/gm)].at(-1)?.[1] ?? '';
    const base = bases.split(',').map(name => lastName(name.replace(/\[.*/, '').trim()));
    return base.some(name => makers.get(name) === CONSTRUCTOR) ? CONSTRUCTOR : { ...UNKNOWN, accepts: undefined };
  }
  const explicit = /(\w+)\.__init__$/.exec(callee)?.[1];
  if (explicit !== undefined)
    return makers.get(explicit) === CONSTRUCTOR ? { ...CONSTRUCTOR, positional: ['self', ...POSITIONAL] } : undefined;
  return makers.get(lastName(callee));
}

/** Names that make a loader when they are called: the class, other names for it, subclasses that change nothing, and partial calls of it. */
function makersIn(source: string): Map<string, Maker> {
  const makers = new Map<string, Maker>(PLAIN.map(name => [name, CONSTRUCTOR]));
  const isPlain = (text: string): boolean => makers.get(lastName(text.trim())) === CONSTRUCTOR;
  for (const [, name = '', alias = ''] of source.matchAll(/\b(\w+)\s+as\s+(\w+)/g)) {
    if (PLAIN.includes(name)) makers.set(alias, CONSTRUCTOR);
  }
  for (const [, name = '', value = ''] of source.matchAll(/^[ \t]*(\w+)\s*=\s*([\w.]+)[ \t]*(?:#.*)?$/gm)) {
    if (isPlain(value)) makers.set(name, CONSTRUCTOR);
  }
  for (const { 0: head, 1: indent = '', 2: name = '', 3: base = '', index } of source.matchAll(CLASS)) {
    if (isPlain(base) && !hasConstructor(source.slice(index + head.length), indent)) makers.set(name, CONSTRUCTOR);
  }
  for (const { 0: head, 1: name = '', index } of source.matchAll(/(\w+)\s*=\s*(?:functools\.)?partial\s*(?=\()/g)) {
    const [base, ...given] = callAt(source, index + head.length)?.arguments ?? [];
    if (base !== undefined && isPlain(base.value)) makers.set(name, partialMaker(given));
  }
  return makers;
}

const CLASS = /^([ \t]*)class\s+(\w+)\s*\(\s*([\w.]+)(?:\[[^\]]*\])?\s*\)\s*:/gm;

/** Whether the class whose body begins here has a constructor of its own. */
function hasConstructor(body: string, indent: string): boolean {
  const end = new RegExp(`^${indent}\\S`, 'm').exec(body.slice(1))?.index ?? body.length;
  return /\bdef\s+__init__\b/.test(body.slice(0, end + 1));
}

function partialMaker(given: readonly Argument[]): Maker {
  const hidden = given.some(({ stars }) => stars > 0);
  return {
    positional: given.some(({ stars }) => stars === 1) ? undefined : POSITIONAL.slice(given.filter(isUnnamed).length),
    elsewhere: hidden ? undefined : given.flatMap(({ name }) => name ?? []),
    accepts: undefined,
  };
}

const isUnnamed = ({ name, stars }: Argument): boolean => name === undefined && stars === 0;

/** The way in which a call gives an argument. */
export type Way =
  | { readonly by: 'name' | 'position' | 'options'; readonly argument: Argument }
  /** It is not in the call. */
  | { readonly by: 'nothing' }
  | { readonly by: 'unknown' };

/** Of a call whose order of arguments is not known: the data and one more may stand without a name. */
const MOST_UNNAMED = 2;

export function wayOf({ call, positional }: Omit<LoaderCall, 'elsewhere' | 'accepts'>, name: string): Way {
  const named = call.arguments.find(argument => argument.name === name);
  if (named !== undefined) return { by: 'name', argument: named };
  const unnamed = call.arguments.filter(argument => argument.name === undefined && argument.stars < 2);
  const position = positional?.indexOf(name) ?? MOST_UNNAMED;
  if (position !== -1 && unnamed.slice(0, position + 1).some(({ stars }) => stars === 1)) return { by: 'unknown' };
  const argument = unnamed[position];
  if (argument !== undefined) return positional === undefined ? { by: 'unknown' } : { by: 'position', argument };
  const [options, another] = call.arguments.filter(({ stars }) => stars === 2);
  if (options === undefined) return { by: 'nothing' };
  return another === undefined ? { by: 'options', argument: options } : { by: 'unknown' };
}
