/** A file of a trace as importers that read it whole get it: unpacked, with the name it has in errors. */
export interface StepFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}
