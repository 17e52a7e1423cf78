/** Generated code is made of few forms, a statement a line; these tell them apart. */

const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<![\w$.])([A-Za-z_$][\w$]*)/g;
const NAME_OF_VALUE = new Set(['true', 'false', 'NaN', 'Infinity', 'Math', 'null', 'undefined']);

/** `const NAME = EXPRESSION;` */
export function definitionOf(text: string): { readonly name: string; readonly expression: string } | undefined {
  const [, name, expression] = /^const (\w+) = (.*);$/.exec(text) ?? [];
  return name === undefined || expression === undefined ? undefined : { name, expression };
}

/** The name that a line defines: a constant, a variable, or that of a loop. */
export const definedIn = (text: string): string | undefined =>
  /^(?:const|let|(?:\w+: )?for \(let) (\w+)\b/.exec(text)?.[1];

/** The names in a text, properties and what stands in quotes left out. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(TOKEN)].flatMap(([, name]) => name ?? []);
}

/** The text with names replaced. */
export const renamed = (text: string, names: ReadonlyMap<string, string>): string =>
  names.size === 0
    ? text
    : text.replaceAll(TOKEN, (token: string, name?: string) =>
        name === undefined ? token : (names.get(name) ?? token),
      );

/** Whether evaluating it has no effect: no call but of Math, nothing made, nothing assigned. */
export function isHarmless(expression: string): boolean {
  const bare = expression.replaceAll(TOKEN, token => (/^['"]/.test(token) ? '0' : token));
  const calls = [...bare.matchAll(/([\w$.]+)\(/g)].map(([, callee]) => callee);
  return (
    calls.every(callee => callee === 'Math.imul' || callee === 'Math.floor') &&
    !/\bnew\b|=>|\+\+|--|[^=!<>]=[^=]|\)\(|\]\(/.test(bare)
  );
}

/** The arrays that it reads from. */
export const arraysIn = (expression: string): string[] =>
  [...expression.matchAll(/(\w+)\[/g)].flatMap(([, name]) => name ?? []);

/** Its value, where it consists of constants alone. */
export function constantOf(expression: string): number | string | boolean | undefined {
  if (
    !isHarmless(expression) ||
    !namesIn(expression).every(name => NAME_OF_VALUE.has(name)) ||
    /[[\]{};`]/.test(expression.replaceAll(TOKEN, ''))
  )
    return undefined;
  const value: unknown = new Function(`return (${expression});`)();
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean' ? value : undefined;
}

/** A constant as code. */
export function literal(value: number | string | boolean): string {
  if (typeof value !== 'number') return JSON.stringify(value);
  return value < 0 || Object.is(value, -0) ? `(${Object.is(value, -0) ? '-0' : value})` : `${value}`;
}
