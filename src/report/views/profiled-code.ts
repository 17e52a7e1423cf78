import type { BasicBlock } from '../../analysis/profile/basic-blocks.ts';
import {
  type HotLine,
  lineOwners,
  type ProfiledLine,
  type ProfiledLoop,
} from '../../analysis/profile/profiled-lines.ts';
import type { ProfiledOperator } from '../../analysis/profile/summary.ts';
import { heading } from '../blocks.ts';
import { figures, names, table } from '../columns.ts';
import { percent } from '../format.ts';
import { ownerLines } from '../owner-lines.ts';
import type { Profile } from '../results/profile.ts';
import type { Block } from '../tree.ts';

type Owned = { readonly operator: string | undefined; readonly task: string };

const namesOf = (owners: readonly Owned[]): string =>
  owners.map(({ operator, task }) => (operator === undefined ? task : `${operator}: ${task}`)).join(' + ');

const ownerNames = (line: ProfiledLine): string => namesOf(lineOwners(line));

/** Where the author has written what a line does. */
const sourceNames = (line: ProfiledLine, operators: readonly ProfiledOperator[]): string =>
  lineOwners(line)
    .flatMap(({ operator }) => operators.find(({ id }) => id === operator)?.source ?? [])
    .join(' + ');

export const hottestTable = (hottest: readonly HotLine[], operators: readonly ProfiledOperator[]): Block =>
  table(hottest, [
    figures('share', ({ share }) => percent(share)),
    names('operator', ownerNames),
    operators.some(({ source }) => source !== undefined) && names('written at', line => sourceNames(line, operators)),
    names('line', ({ stage, number, text }) => `${stage}:${number} ${text.trim()}`),
  ]);

/** For the operator's developer: lines, blocks and the whole code, with what each costs. */
export const codeBlocks = (profile: Profile): Block[] => [
  ...(profile.hottest.length === 0 ? [] : [heading('Hottest lines'), hottestTable(profile.hottest, profile.operators)]),
  ...blockBlocks(profile.blocks),
  ...profile.loops.flatMap(loop => listing(loop, profile)),
];

const MOST_BLOCKS = 20;

function blockBlocks(blocks: readonly BasicBlock[]): Block[] {
  if (blocks.length === 0) return [];
  const note =
    blocks.length > MOST_BLOCKS
      ? `the ${MOST_BLOCKS} of ${blocks.length} with most samples; --json has all`
      : 'lines that run one after the other, without a branch between them';
  return [
    heading('Basic blocks', note),
    table(blocks.slice(0, MOST_BLOCKS), [
      figures('share', ({ share }) => percent(share)),
      names('lines', ({ stage, first, last }) => `${first}${last === first ? '' : `-${last}`} of ${stage}`),
      figures('loops around', ({ loops }) => String(loops)),
      names('operators', ({ owners }) => namesOf(owners)),
      names('within', ({ within }) => within),
    ]),
  ];
}

const SHARE_WIDTH = 7;

function listing({ stage, file, hits, lines }: ProfiledLoop, { samples, operators }: Profile): Block[] {
  const shareOf = (some: number): string => (some === 0 ? '' : percent(some / samples)).padStart(SHARE_WIDTH);
  const owned = ownerLines(
    lines.map(line => ({ ...line, text: `${shareOf(line.hits)}  ${line.text}` })),
    line => [ownerNames(line), sourceNames(line, operators)].filter(text => text !== '').join(', '),
  );
  return [
    heading(`Code of ${stage}`, `${file}; ${percent(hits / Math.max(1, samples))} of all samples lie in its own lines`),
    { type: 'code', lines: owned },
  ];
}
