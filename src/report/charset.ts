/** Signs of the text renderer. */
export interface Charset {
  readonly ellipsis: string;
  readonly rule: string;
  readonly point: string;
  readonly good: string;
  readonly warn: string;
  readonly bad: string;
  readonly arrow: string;
  readonly rail: string;
  readonly node: string;
  readonly emphasis: string;
  /** Corners where a rail forks or joins another, and the horizontal pieces between the two. */
  readonly fork: string;
  readonly forkEnd: string;
  readonly joinEnd: string;
  readonly across: string;
  readonly crossing: string;
  /** The bracket around a group of lines: its only, first, middle and last line. */
  readonly bracket: readonly [only: string, first: string, middle: string, last: string];
  /** A full cell of a bar and its parts, smallest first. */
  readonly bar: string;
  readonly barParts: readonly string[];
  /** The text, with characters outside the charset replaced. */
  text(plain: string): string;
}

export const UNICODE: Charset = {
  ellipsis: '…',
  rule: '─',
  point: '•',
  good: '✓',
  warn: '!',
  bad: '✗',
  arrow: '→',
  rail: '│',
  node: '●',
  emphasis: '◆',
  fork: '├',
  forkEnd: '╮',
  joinEnd: '╯',
  across: '─',
  crossing: '┼',
  bracket: ['╶', '╮', '│', '╯'],
  bar: '█',
  barParts: ['▏', '▎', '▍', '▌', '▋', '▊', '▉'],
  text: plain => plain,
};

const SPELLINGS: Readonly<Record<string, string>> = {
  µ: 'u',
  '±': '+/-',
  '–': '-',
  '—': '-',
  '…': '...',
  '→': '->',
  '×': 'x',
  '·': '-',
  '“': '"',
  '”': '"',
  '’': "'",
};

/** For terminals and logs without UTF-8. */
export const ASCII: Charset = {
  ellipsis: '...',
  rule: '-',
  point: '*',
  good: '+',
  warn: '!',
  bad: 'x',
  arrow: '->',
  rail: '|',
  node: 'o',
  emphasis: '@',
  fork: '|',
  forkEnd: '\\',
  joinEnd: '/',
  across: '-',
  crossing: '|',
  bracket: ['-', '\\', '|', '/'],
  bar: '#',
  barParts: [],
  text: plain => plain.replace(/[^ -~]/gu, char => SPELLINGS[char] ?? '?'),
};
