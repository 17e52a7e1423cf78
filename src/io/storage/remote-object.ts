/** An object with all its bytes. */
export interface RemoteObject {
  readonly url: string;
  readonly bytes: Uint8Array;
}

/** A text file that names an object on every line. */
export interface Manifest {
  /** Its path, or its own http:, https: or s3: address. */
  readonly manifest: string;
}

export const isManifest = (where: string | readonly string[] | Manifest): where is Manifest =>
  typeof where === 'object' && 'manifest' in where;

export const isAddress = (text: string): boolean => /^(https?|s3):\/\//.test(text);

export const listOf = (where: string | readonly string[]): readonly string[] =>
  typeof where === 'string' ? [where] : where;
