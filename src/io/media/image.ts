/** A decoded picture: packed rows of 8-bit RGB in memory of its own. Plain data: it survives a structured clone. */
export interface Image {
  readonly width: number;
  readonly height: number;
  readonly channels: 3;
  readonly data: Uint8Array;
}
