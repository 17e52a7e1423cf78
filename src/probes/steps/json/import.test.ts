import { expect, it } from 'vitest';
import { importStepsJson } from './import.ts';

const document = {
  format: 'venturi-steps',
  version: 1,
  resources: [{ name: 'thread', kind: 'host' }],
  steps: [{ number: 0, start: 0, duration: 5 }],
  ops: [{ name: 'op', resource: 0, start: 0, duration: 5, step: 0 }],
};
const file = (content: unknown) => ({
  name: 'x.json',
  bytes: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
});

it('reads a document', () => {
  expect(importStepsJson(file(document))).toMatchObject({ source: 'steps', ops: { count: 1 } });
});

it.each([
  [{ ...document, steps: [], ops: [] }, 'VENTURI_STEPS_NONE', 'x.json has no steps.'],
  [{ ...document, ops: [] }, 'VENTURI_STEPS_NONE', 'x.json has no ops.'],
  [
    JSON.stringify(document).slice(0, 100),
    'VENTURI_STEPS_UNREADABLE',
    'x.json is not a whole trace of training steps: ',
  ],
  [
    { ...document, ops: [{ ...document.ops[0], start: 'soon' }] },
    'VENTURI_STEPS_UNREADABLE',
    'ops.0.start: Invalid input: expected number, received string',
  ],
  [
    { ...document, resources: [{ name: 'x', kind: 'tape' }] },
    'VENTURI_STEPS_UNREADABLE',
    'resources.0.kind: Invalid option: expected one of "host"|"device"',
  ],
])('refuses %j', (content, code, message) => {
  const refused = expect.objectContaining({
    code,
    message: expect.stringContaining(message),
    remedy: expect.any(String),
  });
  expect(() => importStepsJson(file(content))).toThrow(refused);
});
