import { type CallLevel, expressionOf, follows, isSettledBy } from './call-level.ts';
import type { ArgumentChanges } from './constructor-rules.ts';
import { wayOf } from './loader-call.ts';
import { callsBetween, type PythonCall } from './python-call.ts';

/**
 * The options of the program that make the changes without an edit (`--workers 4`): every changed argument has to be one that
 * argparse reads, and nothing else may have to change with it.
 */
export function optionsFor(
  sources: readonly string[],
  { maker, nameOf, changes: { set, drop } }: Pick<CallLevel, 'maker' | 'nameOf' | 'changes'>,
): string | undefined {
  const workers = expressionOf(maker, nameOf('num_workers')) ?? '';
  const isSettled = (dropped: ArgumentChanges['drop'][number]): boolean =>
    isSettledBy(maker, nameOf, dropped, workers) ||
    (dropped.had === 'no' && wayOf(maker, nameOf(dropped.name) ?? '').by === 'nothing');
  if (!drop.every(isSettled)) return undefined;
  const declared = sources.flatMap(declaredOptions);
  const wanted = Object.entries(set).filter(([name]) => !follows(maker, nameOf, set, name, workers));
  const options = wanted.map(([name, value]) => {
    const member = /^[\w.]+\.(\w+)$/.exec(expressionOf(maker, nameOf(name)) ?? '')?.[1];
    const option = declared.find(({ member: read }) => read === member);
    if (option === undefined) return undefined;
    if (option.isSwitch) return value === 'True' ? option.flag : undefined;
    return /^\d+$/.test(value) ? `${option.flag} ${value}` : undefined;
  });
  return options.length === 0 || options.includes(undefined) ? undefined : options.join(' ');
}

/** Flags of these options that the program reads outside this call, too: they may set more than one loader. */
export function flagsReadElsewhere(
  sources: readonly string[],
  { source, maker: { call } }: Pick<CallLevel, 'source' | 'maker'>,
  options: string,
): string[] {
  const declared = sources.flatMap(declaredOptions);
  const outside = sources.map(each =>
    each === source ? `${each.slice(0, call.open)}${each.slice(call.close)}` : each,
  );
  const isRead = (member: string): boolean => outside.some(each => new RegExp(`\\.${member}\\b`).test(each));
  return options.split(' ').filter(word => declared.some(({ flag, member }) => flag === word && isRead(member)));
}

interface DeclaredOption {
  /** `--workers`. */
  readonly flag: string;
  /** What the parsed arguments call it. */
  readonly member: string;
  /** Given or not, without a value. */
  readonly isSwitch: boolean;
}

/** `parser.add_argument("-j", "--workers", type=int)`. */
function declaredOptions(source: string): DeclaredOption[] {
  return callsBetween(source, 0, source.length).flatMap((call): DeclaredOption[] => {
    if (!/\.add_argument$/.test(call.callee)) return [];
    const flags = call.arguments.filter(({ name }) => name === undefined).map(({ value }) => textOf(value) ?? '');
    const long = flags.find(flag => flag.startsWith('--'));
    const flag = long ?? flags.find(each => each.startsWith('-'));
    const action = named(call, 'action');
    if (flag === undefined || (action !== undefined && action !== 'store_true' && action !== 'store')) return [];
    const member = named(call, 'dest') ?? flag.replace(/^-+/, '').replaceAll('-', '_');
    return [{ flag, member, isSwitch: action === 'store_true' }];
  });
}

const named = (call: PythonCall, wanted: string): string | undefined =>
  textOf(call.arguments.find(({ name }) => name === wanted)?.value ?? '');

const textOf = (value: string): string | undefined => /^(['"])(.*)\1$/.exec(value)?.[2];
