import type { Output } from './output.ts';

/** How often someone is looked for who takes what is offered. */
const AGAIN_MS = 5;

const rethrow = (error: unknown): never => {
  throw error;
};

/**
 * Waits for `work`. Where that takes more than a turn of the event loop, what `output` has gathered goes on meanwhile, as soon as someone can
 * take it: a source may wait until what it gave was processed. An error while handing on is passed to `failed`.
 */
export function offering<T>(
  output: Output,
  work: Promise<T>,
  failed: (error: unknown) => T | Promise<T> = rethrow,
): Promise<T> {
  if (output.count === 0) return work;
  return new Promise((resolve, reject) => {
    let again: NodeJS.Timeout | undefined;
    const offer = (): void => {
      try {
        if (output.offer()) again = setTimeout(offer, AGAIN_MS);
      } catch (error) {
        resolve(Promise.reject(error).catch(failed));
      }
    };
    const soon = setImmediate(offer);
    const end = (): void => {
      clearImmediate(soon);
      clearTimeout(again);
    };
    work.finally(end).then(resolve, reject);
  });
}
