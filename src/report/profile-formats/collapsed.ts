import { plainText } from '../plain-text.ts';
import type { ProfileStacks } from './stacks.ts';

/** A line per stack, `a;b;c COUNT`, of all lanes together: what flame graph tools read. */
export function collapsedStacks({ lanes }: ProfileStacks): string {
  const counts = new Map<string, number>();
  for (const { samples } of lanes) {
    for (const { stack } of samples) {
      const key = stack.map(name => plainText(name).replaceAll(/[;\n\r]/g, ',')).join(';');
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return [...counts].map(([stack, count]) => `${stack} ${count}\n`).join('');
}
