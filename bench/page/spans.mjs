/**
 * A run with ten million spans: 16 lanes, each with chunks one after the other and a span inside each of them. Counters come from a pipeline in
 * virtual time, so that all views have something to show. The spans follow from their lane's number: whoever checks a page makes them again.
 */
import { openLane } from 'venturi/store';
import { START } from '../virtual/manifest.mjs';
import { recordVirtually } from '../virtual/packed.mjs';

export const LANES = 16;
const SECONDS = 330;
const OUTER = ['stage:decode', 'stage:augment', 'stage:read'];
const INNER = ['operator:decode', 'operator:resize', 'operator:flip', 'operator:crop'];
export const SUBJECTS = [...OUTER, ...INNER];

/** Spans of a lane by depth, as columns; subjects by their place among SUBJECTS. All moments are whole ns. */
export function spansOf(lane, count) {
  const columns = () => ({
    start: new Float64Array(count / 2),
    duration: new Float64Array(count / 2),
    subject: new Uint32Array(count / 2),
  });
  const [outer, inner] = [columns(), columns()];
  let random = lane + 1;
  const next = bits => {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    return random >>> (32 - bits);
  };
  let moment = 1_000_000 + lane * 1000;
  for (let at = 0; at < count / 2; at++) {
    const duration = 400_000 + next(20);
    outer.start[at] = moment;
    outer.duration[at] = duration;
    outer.subject[at] = next(10) % OUTER.length;
    inner.start[at] = moment + next(16);
    inner.duration[at] = duration / 2 - (duration % 2) / 2;
    inner.subject[at] = OUTER.length + (next(10) % INNER.length);
    moment += duration + next(17);
  }
  return [outer, inner];
}

export function writeSpans(folder, count) {
  const stages = [
    { id: 'read', lanes: 2, operators: [{ id: 'read', kind: 'files', sequential: true, cpu: 0.001 }] },
    {
      id: 'decode',
      lanes: 4,
      inputs: ['read'],
      operators: [
        { id: 'decode', cpu: 0.2 },
        { id: 'resize', cpu: 0.02 },
      ],
    },
    {
      id: 'augment',
      lanes: 2,
      inputs: ['decode'],
      operators: [
        { id: 'flip', cpu: 0.01 },
        { id: 'crop', cpu: 0.01 },
      ],
    },
  ];
  const description = { name: 'spans', seconds: SECONDS, cores: 16, stages, consumer: { step: 0.001 } };
  const run = recordVirtually(folder, description);
  for (let number = 0; number < LANES; number++) {
    const lane = openLane(run.folder, { name: `decode#${number}`, pid: 1, tid: 100 + number, opened: BigInt(START) });
    const numbers = SUBJECTS.map(key => lane.subjectNumber(key));
    const [outer, inner] = spansOf(number, count / LANES);
    for (let at = 0; at < outer.start.length; at++) {
      // As they end: what is inside first.
      for (const { start, duration, subject } of [inner, outer]) {
        lane.span(numbers[subject[at]], at, START + start[at], duration[at]);
      }
    }
    lane.close(START + SECONDS * 1e9);
    if (lane.warnings.length > 0) throw new Error(lane.warnings.join(' '));
  }
  return run.folder;
}

/** Time of each subject between two moments, by looking at every span. */
export function scanned({ start, duration, subject }, from, to) {
  const times = new Map();
  for (let at = 0; at < start.length; at++) {
    const overlap = Math.min(to, start[at] + duration[at]) - Math.max(from, start[at]);
    if (overlap > 0) times.set(subject[at], (times.get(subject[at]) ?? 0) + overlap);
  }
  return times;
}
