import type { Warning } from '../../model/warnings.ts';
import type { Block } from '../tree.ts';

/** What a reader should know about the recording itself; nothing where all is well. */
export const problemBlocks = (problems: readonly Warning[]): Block[] =>
  problems.length === 0
    ? []
    : [
        { type: 'heading', text: 'Problems' },
        { type: 'list', items: problems.map(({ message }) => ({ text: message, mark: 'warn' })) },
      ];

/** What a reader should know before the figures. */
export const cautionBlocks = (cautions: readonly Warning[]): Block[] =>
  cautions.map(({ message }) => ({ type: 'paragraph', text: message, tone: 'warn' }));
