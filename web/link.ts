/** What a link to the page holds: operators that are selected, and a range of time. */
export interface Selection {
  readonly operators: readonly string[];
  /** Seconds of the run. */
  readonly range: { readonly from: number; readonly to: number } | undefined;
}

export const NO_SELECTION: Selection = { operators: [], range: undefined };

/** Digits of a moment: nanoseconds of a run of some minutes. */
const DIGITS = 12;

/** The fragment of the address, without `#`: `op=decode&op=resize&t=1.5-2`. */
export function linkOf({ operators, range }: Selection): string {
  const parts = new URLSearchParams(operators.map((id): [string, string] => ['op', id]));
  if (range !== undefined) parts.set('t', `${short(range.from)}-${short(range.to)}`);
  return parts.toString();
}

const short = (seconds: number): string => String(Number(seconds.toPrecision(DIGITS)));

/** What is not understood in it is left out. */
export function selectionOf(link: string): Selection {
  const parts = new URLSearchParams(link.replace(/^#/, ''));
  const [from, to] = (parts.get('t') ?? '').split('-').map(text => (text === '' ? Number.NaN : Number(text)));
  const isRange = from !== undefined && to !== undefined && from >= 0 && to > from && Number.isFinite(to);
  return { operators: [...new Set(parts.getAll('op'))], range: isRange ? { from, to } : undefined };
}
