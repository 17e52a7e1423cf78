import type { JSX } from 'preact';
import type { Block } from '../../src/report/tree.ts';
import { Blocks } from '../blocks.tsx';
import { partsOf } from '../parts.ts';
import { Hero } from './hero.tsx';

/** The report of a verb, with a drawing below its first lines where there is one. */
export function Report({
  blocks,
  drawing,
}: {
  readonly blocks: readonly Block[];
  readonly drawing?: JSX.Element;
}): JSX.Element {
  const [top, ...parts] = partsOf(blocks);
  return (
    <>
      <Hero blocks={top?.heading === undefined ? (top?.blocks ?? []) : []} stats={[]} />
      {drawing}
      {(top?.heading === undefined ? parts : [top, ...parts]).map(({ heading, blocks: its }, at) => (
        <Blocks key={at} blocks={heading === undefined ? its : [heading, ...its]} />
      ))}
    </>
  );
}
