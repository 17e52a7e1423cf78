/** Serves one after the other, in the order in which they come: a link, a disk, a device. */
export class Line {
  /** When it has served all who came. */
  free = 0;

  /** When one who comes now and takes so long has been served. */
  serve(now: number, time: number): number {
    this.free = Math.max(now, this.free) + time;
    return this.free;
  }
}
