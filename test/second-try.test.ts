import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();
afterEach(() => shop.remove());

describe('a workshop', () => {
  it('is as it was when a test is tried again, with what was there before that test', () => {
    shop.write('pipeline.mjs', '');
    shop.write('tmp/costs.json', '');
    shop.remember();
    shop.write('run/blocks.bin', '');
    shop.write('tmp/left', '');
    shop.restore();
    expect(existsSync(shop.path('run'))).toBe(false);
    expect(existsSync(shop.path('tmp/left'))).toBe(false);
    expect(existsSync(shop.path('pipeline.mjs'))).toBe(true);
    expect(existsSync(shop.path('tmp/costs.json'))).toBe(true);
  });
});
