/** What all sides of this bench do to an image: decode → 256 x 256 → a random 224 x 224 of it, mirrored or not → normalised floats. */
import { crop, decodeJpeg, flipHorizontally, normalise, readFile, resize } from 'venturi/engine';

export const BATCH = 64;
export const SIDE = 224;
export const FLOATS = 3 * SIDE * SIDE;
const RESIZED = 256;
const MEAN = [0.485, 0.456, 0.406];
const STD = [0.229, 0.224, 0.225];

/** `int(n)`: a random whole number below n. `out`: where the floats go; new memory unless given. */
export function tensor(path, int, out) {
  const part = crop(
    resize(decodeJpeg(readFile(path)), RESIZED, RESIZED),
    int(RESIZED - SIDE + 1),
    int(RESIZED - SIDE + 1),
    SIDE,
    SIDE,
  );
  return normalise(int(2) === 1 ? flipHorizontally(part) : part, MEAN, STD, out);
}

/** Floats from one cache line of 64 bytes to the next. */
const LINE = 16;

/** Reads every cache line. */
export function touched(floats) {
  let sum = 0;
  for (let at = 0; at < floats.length; at += LINE) sum += floats[at];
  return sum;
}
