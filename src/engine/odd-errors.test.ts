import type { RunOptions } from 'venturi/engine';
import { describe, expect, it } from 'vitest';
import { packError, unpackError } from '../errors/portable-error.ts';
import odd, { ODD, ODD_PLACES } from './fixtures/odd.fixture.ts';
import { failureOf, within } from './fixtures/outcome.fixture.ts';

describe('what nobody expects to be thrown', () => {
  const told = async (place: string, name: string, options: RunOptions): Promise<void> => {
    const run = odd.run({ ...options, params: { place, odd: name } });
    const error = await within(failureOf(run.drain()));
    expect([name, error.code]).toEqual([name, 'VENTURI_USER_FUNCTION']);
    expect(error.message).toMatch(/^'culprit' threw( on element \d)?: ./);
    expect(error.message.length).toBeLessThan(10_000);
  };

  it.each(ODD_PLACES)('is told with its operator: in %s', async place => {
    for (const name of Object.keys(ODD)) await told(place, name, { parallelism: 0 });
  });

  it.each(['fused', 'generator', 'behind a generator'])('is told with its element: %s', async place => {
    for (const name of Object.keys(ODD)) {
      const error = await within(failureOf(odd.run({ parallelism: 0, params: { place, odd: name } }).drain()));
      expect([name, error.message]).toEqual([name, expect.stringMatching(/^'culprit' threw on element 1: ./)]);
    }
  });

  it.each(['undefined', 'stack that throws', 'proxy'])('comes from a thread: %s', async name => {
    await told('sync', name, {});
  });

  it.each(Object.entries(ODD))('becomes text on its way: %s', (_, make) => {
    const error = unpackError(structuredClone(packError(make())));
    expect(`${error.name}${error.message}${error.stack}`.length).toBeLessThan(50_000);
  });
});
