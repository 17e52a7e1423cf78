import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitHttp, httpSettings } from './http-settings.ts';

describe('requests within a memory', () => {
  it('keep their number and become smaller, then fewer', () => {
    const settings = httpSettings('objects', {});
    expect(fitHttp(settings, 2 ** 30)).toEqual(settings);
    expect(fitHttp(settings, 2 ** 23)).toMatchObject({ concurrency: 8, partBytes: 2 ** 20 });
    expect(fitHttp(settings, 2 ** 18)).toMatchObject({ concurrency: 4, partBytes: 2 ** 16 });
  });

  it('are never more under way than fits, unless one alone is too many', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 64 }),
        fc.integer({ min: 1, max: 2 ** 26 }),
        fc.nat(2 ** 28),
        (concurrency, partBytes, bytes) => {
          const fitted = fitHttp(httpSettings('objects', { concurrency, partBytes }), bytes);
          expect(fitted.concurrency).toBeLessThanOrEqual(concurrency);
          expect(fitted.partBytes).toBeLessThanOrEqual(partBytes);
          if (fitted.concurrency > 1) expect(fitted.concurrency * fitted.partBytes).toBeLessThanOrEqual(bytes);
        },
      ),
    );
  });
});
