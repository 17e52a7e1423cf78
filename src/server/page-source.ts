/** What a server shows. Texts are JSON. */
export interface PageSource {
  /** The whole page as it stands. */
  document(): Promise<Buffer>;
  /** Undefined where there is none. */
  tile(series: string, level: number, index: number): Promise<Buffer | undefined>;
}
