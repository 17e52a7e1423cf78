import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { StackAttribution } from '../../analysis/attribution/stack-join.ts';
import { summariseAttribution } from '../../analysis/attribution/summary.ts';
import type { StackHits } from '../../model/samples.ts';
import { AustinText, mojoStacks } from './austin.ts';
import { parsePerfLine } from './perf-script.ts';
import { parseRawLine, speedscopeStacks } from './py-spy.ts';

/** What profilers of today wrote about one program; `golden/make.sh` makes it anew. */
const golden = (name: string): Buffer => readFileSync(new URL(`./golden/${name}`, import.meta.url));
const lines = (name: string): string[] => golden(name).toString().trimEnd().split('\n');
const LOCATIONS = new Map(Object.entries<string>(JSON.parse(golden('operators.json').toString())));

const austin = new AustinText();
const STACKS: Readonly<Record<string, readonly StackHits[]>> = {
  'py-spy 0.4.3, raw': lines('py-spy-raw.txt').flatMap(line => parseRawLine(line) ?? []),
  'py-spy 0.4.3, speedscope': [...speedscopeStacks(golden('py-spy-speedscope.json').toString(), 'speedscope')],
  'austin 4.0.0': mojoStacks(golden('austin.mojo'), 'austin'),
  'austin, as mojo2austin 2.4.0 and austin 3 have it': lines('austin.txt').flatMap(line => austin.line(line) ?? []),
};

describe.each(Object.entries(STACKS))('stacks of %s', (name, stacks) => {
  test('go from the outermost frame in', () => {
    for (const { frames } of stacks) expect(frames[0]).toMatchObject({ name: '<module>' });
    expect(stacks.length).toBeGreaterThan(5);
  });

  test('belong to the operators at work, whose names they qualify by the class', () => {
    const attribution = new StackAttribution(LOCATIONS, name);
    for (const stack of stacks) attribution.add(stack);
    const { hits, operators, unattributed } = summariseAttribution(attribution);
    const owners = new Map(operators.map(({ operator, hits: own }) => [operator, own]));
    const inside = (wanted: string): number =>
      stacks
        .filter(({ frames }) => frames.some(frame => frame.name === wanted))
        .reduce((sum, stack) => sum + stack.hits, 0);
    // A class that inherits its method has it under the name of the other.
    expect(inside('DatasetFolder.__getitem__')).toBeGreaterThan(0);
    for (const [operator, method] of [
      ['RandomResizedCrop', 'RandomResizedCrop.forward'],
      ['Brighter', 'Brighter.__call__'],
      ['ToTensor', 'ToTensor.__call__'],
      ['default_collate', 'default_collate'],
    ] as const) {
      expect([operator, owners.get(operator) ?? 0]).toEqual([operator, inside(method)]);
    }
    const transforms = ['RandomResizedCrop', 'Brighter', 'RandomHorizontalFlip', 'ToTensor'];
    const ofTransforms = transforms.reduce((sum, operator) => sum + (owners.get(operator) ?? 0), 0);
    expect(owners.get('ImageFolder.__getitem__')).toBe(inside('DatasetFolder.__getitem__') - ofTransforms);
    const others = unattributed.reduce((sum, { hits: own }) => sum + own, 0);
    expect([...owners.values()].reduce((sum, own) => sum + own, others)).toBe(hits);
  });
});

test('both forms of austin say the same', () => {
  const [mojo, text] = Object.entries(STACKS).flatMap(([name, stacks]) => (name.startsWith('austin') ? [stacks] : []));
  expect(mojo).toEqual(text);
});

test('a file of austin that is cut, or of a later version, is refused', () => {
  const whole = golden('austin.mojo');
  expect(() => mojoStacks(whole.subarray(0, 100), 'austin')).toThrow('it breaks off');
  expect(() => mojoStacks(Buffer.concat([Buffer.from('MOJ'), Buffer.from([9])]), 'austin')).toThrow('its version is 9');
  expect(() => mojoStacks(Buffer.concat([whole, Buffer.from([40])]), 'austin')).toThrow('it has an event 40');
});

test('every line of perf script is a sample', () => {
  const parsed = lines('perf-script.txt').map(parsePerfLine);
  expect(parsed.length).toBeGreaterThan(20);
  for (const line of parsed)
    expect(line).toMatchObject({ sample: { event: 'cpu-clock', module: expect.stringMatching(/^[^/]+$/) } });
});
