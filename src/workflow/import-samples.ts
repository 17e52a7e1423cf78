import { closeSync, createReadStream, mkdtempSync, type ReadStream, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StackAttribution } from '../analysis/attribution/stack-join.ts';
import { type AttributionSummary, summariseAttribution } from '../analysis/attribution/summary.ts';
import { openRegular, readRegular, readRegularText } from '../files/regular-file.ts';
import { VenturiError } from '../model/errors.ts';
import type { StackHits } from '../model/samples.ts';
import { AustinText, MOJO, mojoStacks } from '../probes/samples/austin.ts';
import { cpuProfileSamples } from '../probes/samples/cpu-profile.ts';
import { linesOf } from '../probes/samples/lines.ts';
import { parsePerfLine } from '../probes/samples/perf-script.ts';
import { parseRawLine, speedscopeStacks } from '../probes/samples/py-spy.ts';
import type { Sample } from '../probes/samples/sample.ts';
import { SampleWriter } from '../probes/samples/sample-writer.ts';
import { openSamples, type Run } from '../store/run-reader.ts';
import { type AttributeOptions, attributeSamples } from './attribute.ts';

type Format = 'perf script' | 'py-spy' | 'speedscope' | 'cpuprofile' | 'austin' | 'mojo';

/** Gives the samples of a file to the operators of a run: by thread and time where it tells them, else by stack. */
export async function importSamples(
  run: Run,
  path: string,
  options: AttributeOptions,
): Promise<AttributionSummary | undefined> {
  const format = formatOf(path);
  switch (format) {
    case 'perf script':
      return byTime(run, options, 'perf', perfSamples(path));
    case 'cpuprofile':
      return byTime(run, options, 'v8', cpuProfileSamples(textOf(path), path));
    case 'speedscope':
      return byStack(run, 'py-spy', speedscopeStacks(textOf(path), path));
    case 'py-spy':
      return byStack(run, 'py-spy', stacksOf(path, parseRawLine));
    case 'austin': {
      const text = new AustinText();
      return byStack(
        run,
        'austin',
        stacksOf(path, line => text.line(line)),
      );
    }
    case 'mojo':
      return byStack(run, 'austin', mojoStacks(bytesOf(path), path));
  }
}

async function byTime(
  run: Run,
  options: AttributeOptions,
  profiler: string,
  samples: AsyncIterable<Sample> | Iterable<Sample>,
): Promise<AttributionSummary | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'venturi-samples-'));
  try {
    const writer = new SampleWriter(folder, run.lanes, { profiler, events: ['cpu-clock'], frequency: 0 });
    for await (const sample of samples) writer.add(sample);
    writer.close();
    return await attributeSamples(run, options, openSamples(folder, BigInt(run.manifest.start)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function byStack(
  run: Run,
  profiler: string,
  stacks: AsyncIterable<StackHits> | Iterable<StackHits>,
): Promise<AttributionSummary> {
  const operators = run.manifest.graph?.operators ?? [];
  const locations = operators.flatMap(({ label, location }) =>
    location === undefined ? [] : [[label, location] as const],
  );
  const attribution = new StackAttribution(new Map(locations), profiler);
  for await (const stack of stacks) attribution.add(stack);
  return summariseAttribution(attribution);
}

async function* perfSamples(path: string): AsyncGenerator<Sample, void, undefined> {
  for await (const line of linesOf(streamOf(path))) {
    const parsed = parsePerfLine(line);
    if (parsed !== undefined && 'sample' in parsed) yield parsed.sample;
  }
}

async function* stacksOf(
  path: string,
  parse: (line: string) => StackHits | undefined,
): AsyncGenerator<StackHits, void, undefined> {
  for await (const line of linesOf(streamOf(path))) {
    const stack = parse(line);
    if (stack !== undefined) yield stack;
  }
}

const streamOf = (path: string): ReadStream => createReadStream(path, { fd: openRegular(path), encoding: 'utf8' });

/** As much as one string can hold. */
const MOST_TEXT_BYTES = 511 * 2 ** 20;

function textOf(path: string): string {
  try {
    return readRegularText(path, MOST_TEXT_BYTES);
  } catch (error) {
    throw unreadable(path, (error as Error).message);
  }
}

function bytesOf(path: string): Uint8Array {
  try {
    return readRegular(path);
  } catch (error) {
    throw unreadable(path, (error as Error).message);
  }
}

/** What a file is, by its beginning. */
function formatOf(path: string): Format {
  let head: string;
  try {
    const fd = openRegular(path);
    try {
      const bytes = Buffer.alloc(65_536);
      head = bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw unreadable(path, (error as Error).message);
  }
  if (path.endsWith('.cpuprofile')) return 'cpuprofile';
  if (/^\s*\{/.test(head) && /speedscope/.test(head)) return 'speedscope';
  if (head.startsWith(MOJO)) return 'mojo';
  const lines = head.split('\n').slice(0, -1);
  const austin = new AustinText();
  if (lines.some(line => austin.line(line) !== undefined)) return 'austin';
  if (lines.some(line => parsePerfLine(line) !== undefined)) return 'perf script';
  if (lines.some(line => line.includes('(') && parseRawLine(line) !== undefined)) return 'py-spy';
  throw unreadable(path, 'it is none of the formats that are known');
}

const unreadable = (path: string, why: string): VenturiError =>
  new VenturiError('VENTURI_SAMPLES_UNREADABLE', `The samples in ${path} cannot be read: ${why}.`, {
    remedy:
      'Give what `perf script -F pid,tid,time,period,event,ip,sym,dso --ns` printed (recorded with -k CLOCK_MONOTONIC), ' +
      'py-spy in the format raw or speedscope, what austin wrote, or a .cpuprofile.',
  });
