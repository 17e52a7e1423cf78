/** Members that every result about a recorded run begins with. */
export interface RunHeading {
  readonly schemaVersion: 1;
  readonly name: string;
  readonly folder: string;
  readonly complete: boolean;
  readonly status: string;
}
