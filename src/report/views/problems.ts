import type { Warning } from '../../model/warnings.ts';
import type { Block } from '../tree.ts';

/** Problems of the recording itself; nothing where there are none. */
export const problemBlocks = (problems: readonly Warning[]): Block[] =>
  problems.length === 0
    ? []
    : [
        { type: 'heading', text: 'Problems' },
        { type: 'list', items: problems.map(({ message }) => ({ text: message, mark: 'warn' })) },
      ];

/** Warnings that stand before the figures. */
export const cautionBlocks = (cautions: readonly Warning[]): Block[] =>
  cautions.map(({ message }) => ({ type: 'paragraph', text: message, tone: 'warn' }));
