import { heading, paragraph } from '../blocks.ts';
import type { FindingWords } from '../findings/words.ts';
import type { Block, ListItem, VerdictBlock } from '../tree.ts';

/** Line one is the verdict, line two what to do. */
export const verdictBlock = ({ text, fix }: FindingWords): VerdictBlock => ({ type: 'verdict', text, fix });

/** What makes a verdict uncertain. */
export const doubtBlocks = ({ doubts }: FindingWords): Block[] => doubts.map(text => paragraph(text, 'warn'));

/** What else was found; nothing where nothing was. */
export function otherFindings(others: readonly { words: FindingWords; mark: ListItem['mark'] }[]): Block[] {
  if (others.length === 0) return [];
  return [
    heading('Other findings'),
    { type: 'list', items: others.map(({ words, mark }) => ({ text: words.text, mark, remedy: words.fix })) },
  ];
}
