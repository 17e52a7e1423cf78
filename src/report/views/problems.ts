import type { Block } from '../tree.ts';

/** What a reader should know about the recording itself; nothing where all is well. */
export const problemBlocks = (problems: readonly string[]): Block[] =>
  problems.length === 0
    ? []
    : [
        { type: 'heading', text: 'Problems' },
        { type: 'list', items: problems.map(text => ({ text, mark: 'warn' })) },
      ];
