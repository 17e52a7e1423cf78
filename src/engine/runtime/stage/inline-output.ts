import type { Position } from '../books/position.ts';
import type { Output } from './output.ts';
import { Collected } from './sink.ts';

/** Elements wait in plain memory for whoever takes them, on the same thread. */
export class InlineOutput extends Collected implements Output {
  epoch = 0;
  readonly spent = 0;
  readonly waited = 0;
  readonly transported = 0;
  elements = 0;
  readonly bytes = 0;
  readonly arrays = 0;
  readonly made = 0;
  readonly rowLength = 0;
  readonly missing = 0;
  #offered: (() => void) | undefined;
  onLandmark: ((position: Position) => void) | undefined;

  get skipBefore(): number {
    return 0;
  }

  startChunk(): void {}
  endPiece(): void {}
  endChunk(): void {}
  flushEpoch(): void {}

  absorb(): void {
    this.flushEpoch();
  }
  mark(_mark: 'epochEnd' | 'end'): void {}

  offer(): boolean {
    if (this.count > 0) this.#offered?.();
    return false;
  }

  /** Waits for `work`, or until what there is so far is offered. */
  sooner(work: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#offered = resolve;
      work.then(resolve, reject);
    });
  }

  /** Nobody here is further upstream: whoever consumes the run is told. */
  landmark(position: Position): void {
    this.onLandmark?.(position);
  }

  take(): unknown[] {
    const taken = this.values.slice(0, this.count);
    this.elements += this.count;
    this.clear();
    return taken;
  }
}
