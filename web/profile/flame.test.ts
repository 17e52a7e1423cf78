import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Profile } from '../../src/report/results/profile.ts';
import { type FlameNode, flameBoxes, flameOf } from './flame.ts';

const profile = JSON.parse(
  readFileSync(new URL('../../test/golden/outputs/profile.json', import.meta.url), 'utf8'),
) as Profile;
const flame = flameOf(profile);

describe('the flame graph of a profile', () => {
  test('has the samples of every operator and of the rest, and all of them together', () => {
    for (const { id, hits } of profile.operators.filter(each => each.hits > 0)) {
      expect(flame.children.find(({ operator }) => operator === id)?.hits).toBe(hits);
    }
    const sum = flame.children.reduce((all, { hits }) => all + hits, 0);
    expect(sum).toBeCloseTo(profile.samples, 6);
  });

  test('has nothing inside a box that is larger than the box', () => {
    const check = ({ hits, children, name }: FlameNode): void => {
      const inside = children.reduce((all, child) => all + child.hits, 0);
      expect(inside, name).toBeLessThanOrEqual(hits + 1e-6);
      for (const child of children) check(child);
    };
    check(flame);
  });

  test('draws boxes of one depth beside each other', () => {
    const boxes = flameBoxes(flame);
    expect(boxes.length).toBeGreaterThan(profile.operators.filter(({ hits }) => hits > 0).length);
    for (const depth of new Set(boxes.map(box => box.depth))) {
      let end = 0;
      for (const { x, width } of boxes.filter(box => box.depth === depth)) {
        expect(x).toBeGreaterThanOrEqual(end - 1e-9);
        end = x + width;
      }
      expect(end).toBeLessThanOrEqual(1 + 1e-9);
    }
  });
});
