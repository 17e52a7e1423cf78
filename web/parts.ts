import type { Block, HeadingBlock } from '../src/report/tree.ts';

/** Blocks below a heading; the first part may have none. */
export interface Part {
  readonly heading: HeadingBlock | undefined;
  readonly blocks: readonly Block[];
}

export function partsOf(blocks: readonly Block[]): Part[] {
  const parts: { heading: HeadingBlock | undefined; blocks: Block[] }[] = [{ heading: undefined, blocks: [] }];
  for (const block of blocks) {
    if (block.type === 'heading') parts.push({ heading: block, blocks: [] });
    else parts.at(-1)?.blocks.push(block);
  }
  return parts.filter(({ heading, blocks: its }) => heading !== undefined || its.length > 0);
}
