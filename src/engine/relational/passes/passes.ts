import type { CodeLine } from '../coder.ts';
import { type CodePass, passed } from './code-pass.ts';
import { dropDeadCode } from './drop-dead-code.ts';
import { foldConstants } from './fold-constants.ts';
import { shareSubexpressions } from './share-subexpressions.ts';

/**
 * Over the lines of each pipeline, in this order. Loops are not unrolled: four rows a turn gained nothing on TPC-H's Q1 and Q6 (0.96 to 1.1 of the time; x86-64, Node 20.20), and on small
 * queries nothing that stands out from what V8 makes of the same code twice (0.4 to 1.06); each line would be five.
 */
const PASSES: readonly CodePass[] = [foldConstants, shareSubexpressions, dropDeadCode];

export const simplified = (lines: readonly CodeLine[]): readonly CodeLine[] =>
  PASSES.reduce((own, pass) => passed(pass, own), lines);
