import type { Traits } from '../../model/traits.ts';

/** Traits that all operators of a kind have, whatever their settings. Order is kept, and there is work, unless it says otherwise. */
type KindTraits = Readonly<
  Pick<Traits, 'elements' | 'sequential'> &
    Partial<
      Pick<
        Traits,
        | 'keepsOrder'
        | 'keepsValues'
        | 'work'
        | 'sink'
        | 'callsFunction'
        | 'effectsInOrder'
        | 'blocking'
        | 'endsStage'
        | 'removable'
        | 'joins'
      >
    >
>;

/**
 * What the code generator asks of an operator: how one element passes it, as lines of JavaScript. The lines become
 * part of one loop shared by all operators of a stage, so nothing is called between operators.
 */
export interface OperatorKind extends KindTraits {
  readonly kind: string;
  /** Its elements are put together, and numbered anew, before its stage's loop sees them: it stands first in a stage. */
  readonly origin?: boolean;
  /** Goes through what it reads only once, and makes later passes from what it kept. */
  readonly keeps?: boolean;
  /** The setting that says how many elements it holds at most. */
  readonly buffer?: string;
  /** As many elements leave it as enter, so it need not count them. */
  readonly sameCount?: boolean;
  /** Several elements may leave it for one that arrives. */
  readonly many?: boolean;
  /** Draws random numbers from the engine, one index at a time. */
  readonly draws?: boolean;
  /** It may refuse an element, which has to be told by its number. */
  readonly refuses?: boolean;
  /** Variables it keeps from element to element. */
  state?(code: OperatorCode): void;
  /**
   * Those of them that `element` names by `code.own`. The loop keeps them in variables of its own and writes them back
   * when it is left: a variable of an outer function is memory, and costs a load and a store per element.
   */
  readonly owned?: (flat: boolean) => readonly string[];
  /** What happens to the element in `code.value`. */
  element(code: ElementCode): void;
  /** The input is over (or its pass is): hand out what is held back. */
  flush?(code: ElementCode): void;
  /** A new pass begins. */
  reset?(code: OperatorCode): void;
  /** What it keeps between two elements, as an expression: an object of numbers and lists. `load` finds it in `saved`. */
  save?(code: OperatorCode): string;
  load?(code: OperatorCode): void;
}

export interface OperatorCode {
  /** Distinguishes this operator's variables: `count${at}`. */
  readonly at: number;
  readonly settings: Readonly<Record<string, unknown>>;
  /** It stands last before a channel that takes rows apart from their items. */
  readonly flat: boolean;
  /** Identity is carried along because some operator downstream asks for it. */
  readonly identity: boolean;
  line(text: string): void;
}

export interface ElementCode extends OperatorCode {
  /** The element, its number at the source and its sub-index hash: names of variables. */
  readonly value: string;
  readonly sequence: string;
  readonly sub: string;
  /** An operator further on in the same loop may want no more elements: the position of the last that said so is `stopped`. */
  readonly mayStop: boolean;
  /** The statement that gives up this element: `continue` or `return`. */
  readonly drop: string;
  /** In the loop itself, where the next position in a flat output is `flat_`, its row ends at `edge_`, and its column of integers, if any, is `ints_`. */
  readonly loop: boolean;
  /** What `name`, one of `owned`, is called here. */
  own(name: string): string;
  /** Calls the user's function on the element: `result` is what it gave, and neither a promise nor the word that the element is given up. */
  call(result: string): void;
  /** Begins a loop in which `item` is each of the `items` in turn, which the user's code may make; `iterated` ends it. */
  iterate(item: string, items: string): void;
  iterated(): void;
  /** Random numbers drawn from the runtime until here are its own. `call` and `workedOn` say so too. */
  drew(): void;
  /** The operator's own work on the element ends here; what follows is its successor's. */
  worked(): void;
  /** A further piece of its work on the same element ends here. */
  workedOn(): void;
  /** One element leaves the operator. The successors' code goes here, inline; `innerDrop` in a loop of the operator's own. */
  next(value: string, sequence?: string, sub?: string, innerDrop?: string): void;
  /** A row of the flat output is complete. */
  row(): void;
  /** The same through a function, for operators that hand out elements from more than one line; `many` in a loop of its own. */
  hand(value: string, sequence?: string, sub?: string, many?: boolean): void;
}

export const setting = (code: OperatorCode, name: string): number => {
  const value = code.settings[name];
  if (typeof value !== 'number') throw new Error(`operator ${code.at} has no setting ${name}`);
  return value;
};

/** Elements pass it as they are, and it keeps none. */
export const passesOn = ({ keepsValues, callsFunction, flush, origin }: OperatorKind): boolean =>
  keepsValues === true && callsFunction !== true && flush === undefined && origin !== true;

type Keeping = Required<Pick<OperatorKind, 'state' | 'reset' | 'save' | 'load'>>;

/**
 * Variables that an operator keeps from element to element, each with its value at the beginning of a pass. `identities` are there only where
 * numbers are carried; `unknown` stands for those of elements that were saved without.
 */
export function keeping(
  variables: Readonly<Record<string, string>>,
  identities: typeof variables = {},
  unknown = '',
): Keeping {
  const own = (identity: boolean): [string, string][] =>
    Object.entries(identity ? { ...variables, ...identities } : variables);
  return {
    state({ at, identity, line }) {
      for (const [name, first] of own(identity)) line(`let ${name}${at} = ${first};`);
    },
    reset({ at, identity, line }) {
      for (const [name, first] of own(identity)) line(`${name}${at} = ${first};`);
    },
    save: ({ at, identity }) =>
      `{ ${own(identity)
        .map(([name]) => `${name}: ${name}${at}`)
        .join(', ')} }`,
    load({ at, identity, line }) {
      for (const [name] of own(identity))
        line(`${name}${at} = saved.${name}${name in identities ? ` ?? ${unknown}` : ''};`);
    },
  };
}
