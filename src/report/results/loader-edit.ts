/** An edit of the program that makes a change. */
export interface LoaderEdit {
  /** `FILE:LINE` of the call that is edited; else of the one that makes the loader. */
  readonly location: string | undefined;
  /** `diff` fits the author's file as it is. */
  readonly isOfSource: boolean;
  /** One hunk of a unified diff; empty where no call can be edited safely. */
  readonly diff: readonly string[];
  /** Options of the program that do the same without an edit: `--workers 4`. */
  readonly options: string | undefined;
  /** Instructions where there is no diff, else remarks on it. */
  readonly advice: readonly string[];
}
