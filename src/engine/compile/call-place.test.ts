import { expect, it } from 'vitest';
import { CallPlace } from './call-place.ts';

const own = new URL('./call-place.ts', import.meta.url).pathname;

/** Called where V8 said so. */
const at = (...frames: readonly string[]): CallPlace =>
  Object.defineProperty(new CallPlace(), 'stack', {
    value: ['Error', ...frames.map(frame => `    at ${frame}`)].join('\n'),
  });

it('is the nearest caller outside this package, whatever the frame looks like', () => {
  for (const frame of [
    'file:///home/me/orders.ts:12:5',
    'default (file:///home/me/orders.ts:12:5)',
    'new Shop (/home/me/orders.ts:12:5)',
    'async Promise.all (/home/me/orders.ts:12:5)',
  ]) {
    const place = at(`Pipeline.map (${own}:1:1)`, `file://${own}:1:1`, frame, 'run (file:///home/me/main.ts:1:1)');
    expect([place.location, place.text], frame).toEqual(['/home/me/orders.ts:12', 'orders.ts:12']);
  }
});

it('is not known where the stack does not tell', () => {
  for (const place of [at(), at(`map (${own}:1:1)`, 'node:internal/main:1:1', 'eval (<anonymous>)')])
    expect([place.location, place.text]).toEqual([undefined, undefined]);
});

it('is found behind folders with brackets, blanks and letters of any kind', () => {
  expect(at('f (file:///home/me/my%20caf%C3%A9/orders.ts:3:1)').location).toBe('/home/me/my café/orders.ts:3');
});
