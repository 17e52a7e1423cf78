import type { FindingWords } from '../../findings/words.ts';
import { heading, paragraph } from '../blocks.ts';
import type { Block, ListItem, VerdictBlock } from '../tree.ts';

/** The verdict, and the fix below it. */
export const verdictBlock = ({ text, fix }: FindingWords): VerdictBlock => ({ type: 'verdict', text, fix });

/** Doubts about the verdict. */
export const doubtBlocks = ({ doubts }: FindingWords): Block[] => doubts.map(text => paragraph(text, 'warn'));

/** Other findings; nothing where there are none. */
export function otherFindings(others: readonly { words: FindingWords; mark: ListItem['mark'] }[]): Block[] {
  if (others.length === 0) return [];
  return [
    heading('Other findings'),
    { type: 'list', items: others.map(({ words, mark }) => ({ text: words.text, mark, remedy: words.fix })) },
  ];
}
