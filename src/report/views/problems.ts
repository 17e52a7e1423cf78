import type { Warning } from '../../model/warnings.ts';
import { heading, list, paragraph } from '../blocks.ts';
import type { Block } from '../tree.ts';

/** Problems of the recording itself; nothing where there are none. */
export function problemBlocks(problems: readonly Warning[]): Block[] {
  const messages = problems.map(({ message }) => message);
  return messages.length === 0 ? [] : [heading('Problems'), list(messages, 'warn')];
}

/** Warnings that stand before the figures. */
export const cautionBlocks = (cautions: readonly Warning[]): Block[] =>
  cautions.map(({ message }) => paragraph(message, 'warn'));
