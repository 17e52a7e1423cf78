import { z } from 'zod';

/** What storage delivers to so many readers at once. */
export const DiskPointSchema = z.object({
  readers: z.number().int().min(1),
  bytesPerSecond: z.number().positive(),
});
export type DiskPoint = z.infer<typeof DiskPointSchema>;

/** Bandwidth of storage against read parallelism. */
export const DiskCurveSchema = z.object({
  points: z.array(DiskPointSchema).min(1),
  /** The bytes came from the device. Otherwise the page cache answered, and the device may be far slower. */
  cold: z.boolean(),
});
export type DiskCurve = z.infer<typeof DiskCurveSchema>;

/** A curve, and how it was measured. */
export interface DiskMeasurement extends DiskCurve {
  /** Reads went past the page cache. Where they could not, `cold` says whether the device was asked all the same. */
  readonly direct: boolean;
  /** Part of the bytes that a device delivered; undefined where the kernel does not say. */
  readonly fetched: number | undefined;
  /** What was read. */
  readonly files: number;
  readonly bytes: number;
}

/** The most it delivers, however many read. */
export const mostBandwidth = ({ points }: DiskCurve): number =>
  points.reduce((most, { bytesPerSecond }) => Math.max(most, bytesPerSecond), 0);

/** What `readers` get together: straight lines between the points that were measured, level beyond them. */
export function bandwidthAt({ points }: DiskCurve, readers: number): number {
  const ascending = [...points].sort((a, b) => a.readers - b.readers);
  const above = ascending.find(point => point.readers >= readers);
  const below = ascending.findLast(point => point.readers <= readers);
  if (above === undefined) return below?.bytesPerSecond ?? 0;
  if (below === undefined) return (above.bytesPerSecond * readers) / above.readers;
  if (above === below || above.readers === below.readers) return above.bytesPerSecond;
  const part = (readers - below.readers) / (above.readers - below.readers);
  return below.bytesPerSecond + part * (above.bytesPerSecond - below.bytesPerSecond);
}

/** The fewest readers that get nearly all there is. */
export function readersForMost(curve: DiskCurve, part = 0.95): number {
  const wanted = part * mostBandwidth(curve);
  const readers = curve.points.filter(point => point.bytesPerSecond >= wanted).map(point => point.readers);
  return Math.min(...readers);
}
