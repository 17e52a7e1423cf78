/**
 * Report tree: the output of a verb as data. Renderers turn it into text, Markdown, HTML and the page; `--json` prints the results
 * themselves.
 *
 * Texts may hold names out of traces. They are untrusted: every renderer makes them harmless in its own medium.
 */
export type Tone = 'good' | 'warn' | 'bad' | 'accent' | 'strong' | 'muted';

/** First lines of a report: the verdict with its figures, and the fix where there is one. */
export interface VerdictBlock {
  readonly type: 'verdict';
  readonly text: string;
  readonly fix?: string | undefined;
  readonly tone?: Tone;
}

export interface HeadingBlock {
  readonly type: 'heading';
  readonly text: string;
  /** Explanation beside it, muted. */
  readonly note?: string | undefined;
}

export interface ParagraphBlock {
  readonly type: 'paragraph';
  readonly text: string;
  readonly tone?: Tone | undefined;
}

/** The figures to know first, in words: left out where a page has them as figures. */
export interface SummaryBlock extends Omit<ParagraphBlock, 'type'> {
  readonly type: 'summary';
}

export interface ListBlock {
  readonly type: 'list';
  readonly items: readonly ListItem[];
}

export interface ListItem {
  readonly text: string;
  readonly mark?: 'point' | 'good' | 'warn' | 'bad' | undefined;
  /** The remedy, on an indented line of its own. */
  readonly remedy?: string | undefined;
}

/** Names and values, one per line. */
export interface FactsBlock {
  readonly type: 'facts';
  readonly items: readonly Fact[];
}

export interface Fact {
  readonly label: string;
  readonly value: string;
  readonly note?: string | undefined;
}

export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** Left out first where the line is too narrow for all. */
  readonly optional?: boolean;
}

export type Cell = string | { readonly text: string; readonly tone?: Tone };

export interface TableBlock {
  readonly type: 'table';
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

export interface GraphNode {
  readonly id: string;
  readonly label: string;
  /** Ids of the nodes it reads from. */
  readonly inputs: readonly string[];
  /** Length of its bar, 0 to 1; undefined where nothing was measured. */
  readonly share: number | undefined;
  /** A figure behind the percentage. */
  readonly figure?: string;
  /** The node to look at; it has a mark of its own, because colour may be missing. */
  readonly emphasis?: boolean;
}

/** Operators fused into one loop; drawn together. */
export interface GraphGroup {
  readonly nodes: readonly string[];
  readonly label: string;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly note: string;
}

export interface GraphBlock {
  readonly type: 'graph';
  readonly nodes: readonly GraphNode[];
  readonly groups: readonly GraphGroup[];
  /** Notes on edges; the edges themselves follow from the nodes' inputs. */
  readonly edges: readonly GraphEdge[];
}

export interface CodeLine {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

/** Lines to copy: never wrapped or shortened. */
export interface CodeBlock {
  readonly type: 'code';
  readonly lines: readonly CodeLine[];
}

export type Block =
  | VerdictBlock
  | HeadingBlock
  | ParagraphBlock
  | SummaryBlock
  | ListBlock
  | FactsBlock
  | TableBlock
  | GraphBlock
  | CodeBlock;

export type Report = readonly Block[];
