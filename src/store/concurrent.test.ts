import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';
import { RECORD_KIND } from '../model/record.ts';
import { openLane } from './lane-writer.ts';
import { newRun, readAll, START, temporaryFolder } from './run.fixture.ts';
import { openRun, type Run } from './run-reader.ts';

/** A program that writes `spans` spans as lane `name`, with a duration that follows from the sequence. */
function writerProgram(runFolder: string): string {
  const folder = temporaryFolder();
  const library = join(folder, 'lane-writer.mjs');
  const entry = new URL('./lane-writer.ts', import.meta.url).pathname;
  buildSync({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', outfile: library });
  const program = join(folder, 'program.mjs');
  writeFileSync(
    program,
    `import { openLane } from ${JSON.stringify(pathToFileURL(library).href)};
     const [name, spans] = process.argv.slice(-2);
     const lane = openLane(${JSON.stringify(runFolder)}, { name, pid: process.pid, tid: 1 });
     const shared = lane.subjectNumber('operator:shared');
     const own = lane.subjectNumber('operator:of ' + name);
     console.log('ready');
     const { ppid } = process;
     for (let i = 0; i < Number(spans) && process.ppid === ppid; i++) {
       lane.span(i % 2 === 0 ? shared : own, i, ${START} + i, i * 3);
       // Whoever writes until it is killed must not outrun who reads all of it, nor outlive it.
       if (i > 500_000) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
     }
     lane.close(${START});`,
  );
  return program;
}

function checkPrefix(run: Run, lane: string): number {
  const spans = readAll(run).filter(record => record.lane === lane && record.kind === RECORD_KIND.span);
  const torn = spans.findIndex(
    (span, index) =>
      span.sequence !== index ||
      span.start !== index ||
      span.duration !== index * 3 ||
      span.subject !== (index % 2 === 0 ? 'operator:shared' : `operator:of ${lane}`),
  );
  expect(torn).toBe(-1);
  return spans.length;
}

test('several threads write into one run at once, and their dictionaries are merged', async () => {
  const run = newRun();
  const program = writerProgram(run.folder);
  const names = ['decode#1', 'decode#2', 'batch#1'];
  await Promise.all(names.map(name => once(new Worker(program, { argv: [name, '20000'], stdout: true }), 'exit')));
  const opened = openRun(run.folder);
  expect(opened.problems).toEqual([]);
  expect(opened.lanes.map(lane => lane.name).sort()).toEqual([...names].sort());
  for (const name of names) expect(checkPrefix(opened, name)).toBe(20_000);
  const source = opened.records();
  for (const _ of source.blocks());
  expect([...source.subjects].sort()).toEqual(
    ['lane', 'operator:shared', ...names.map(name => `operator:of ${name}`)].sort(),
  );
});

test('a run is read while a thread writes it: always a whole beginning', async () => {
  const run = newRun();
  const worker = new Worker(writerProgram(run.folder), { argv: ['busy', '400000'], stdout: true });
  const exit = once(worker, 'exit');
  let running = true;
  void exit.then(() => {
    running = false;
  });
  const seen: number[] = [];
  while (running) {
    seen.push(checkPrefix(openRun(run.folder), 'busy'));
    await new Promise(resolve => setImmediate(resolve));
  }
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect(checkPrefix(openRun(run.folder), 'busy')).toBe(400_000);
});

test('a process killed at work leaves a readable lane', async () => {
  const run = newRun();
  const child = spawn(process.execPath, [writerProgram(run.folder), 'killed', '1e12'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  while (checkPrefix(openRun(run.folder), 'killed') === 0) await new Promise(resolve => setTimeout(resolve, 5));
  child.kill('SIGKILL');
  await once(child, 'exit');
  const opened = openRun(run.folder);
  expect(checkPrefix(opened, 'killed')).toBeGreaterThan(0);
  expect(opened.complete).toBe(false);
  expect(opened.problems).toEqual([
    {
      code: 'VENTURI_WARN_LANE_UNCLOSED',
      message: '1 of 1 lanes were not closed in good order: read as far as they were written.',
    },
  ]);
});

test('at no moment of a flush is a part of it seen', () => {
  const run = newRun();
  const seen = new Set<number>();
  const lane = openLane(run.folder, {
    name: 'busy',
    pid: 1,
    tid: 1,
    // Short writes, and a reader after each of them.
    write: (fd, bytes, offset, length, position) => {
      const written = writeSync(fd, bytes, offset, Math.min(length, 4321), position);
      seen.add(checkPrefix(openRun(run.folder), 'busy'));
      return written;
    },
  });
  const subjects = [lane.subjectNumber('operator:shared'), lane.subjectNumber('operator:of busy')] as const;
  for (let index = 0; index < 900; index++) {
    lane.span(subjects[index % 2 === 0 ? 0 : 1], index, START + index, index * 3);
    if (index % 300 === 299) lane.flush();
  }
  lane.close(START);
  expect([...seen]).toEqual([0, 300, 600, 900]);
});

test('what was flushed is seen, what was not is not', () => {
  const run = newRun();
  const lane = openLane(run.folder, { name: 'busy', pid: 1, tid: 1 });
  const opened = openRun(run.folder);
  const subjects = [lane.subjectNumber('operator:shared'), lane.subjectNumber('operator:of busy')] as const;
  let written = 0;
  const write = (spans: number): void => {
    for (const end = written + spans; written < end; written++) {
      lane.span(subjects[written % 2 === 0 ? 0 : 1], written, START + written, written * 3);
    }
  };
  write(10);
  expect(checkPrefix(opened, 'busy')).toBe(0);
  lane.flush();
  expect(checkPrefix(opened, 'busy')).toBe(10);
  write(30_000);
  lane.flush();
  write(5);
  expect(checkPrefix(opened, 'busy')).toBe(30_010);
  lane.close(START);
  expect(checkPrefix(opened, 'busy')).toBe(30_015);
});
