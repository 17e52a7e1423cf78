/** Serves one after the other, in the order in which they come: a link, a disk, a device. */
export class Line {
  /** Moment when all that came have been served. */
  free = 0;

  /** Moment when a request that comes now and takes `time` has been served. */
  serve(now: number, time: number): number {
    this.free = Math.max(now, this.free) + time;
    return this.free;
  }
}
