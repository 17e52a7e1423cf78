import { crop, flipHorizontally, type Image, type Random } from 'venturi/engine';

/** Of the images that most models were trained on. */
export const MEAN = [0.485, 0.456, 0.406] as const;
export const STD = [0.229, 0.224, 0.225] as const;

/** A square of the image, anywhere in it. */
export const randomCrop = (image: Image, side: number, rng: Random): Image =>
  crop(image, rng.int(image.width - side + 1), rng.int(image.height - side + 1), side, side);

/** Mirrored half of the time. */
export const randomFlip = (image: Image, rng: Random): Image => (rng.chance(0.5) ? flipHorizontally(image) : image);
