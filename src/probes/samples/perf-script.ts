import { fileName, type Sample } from './sample.ts';

/** What `perf script` is asked to print for each sample; the parser below reads these fields in this order. */
export const SCRIPT_ARGUMENTS = [
  'script',
  '-F',
  'pid,tid,time,period,event,ip,sym,dso',
  '--ns',
  '--no-inline',
  '--show-lost-events',
] as const;

/** `pid/tid seconds.nanoseconds: period event: address symbol (file)`; what follows the address is cut by hand. */
const SAMPLE = /^\s*(\d+)\/(\d+)\s+(\d+)\.(\d{9}):\s+(\d+)\s+(\S+):\s+([0-9a-f]+) (.*)$/;
const LOST = /PERF_RECORD_LOST(?:_SAMPLES)?\b.*?lost (\d+)/;

export type PerfLine = { readonly sample: Sample } | { readonly lost: number } | undefined;

/** Parses one line of `perf script`; undefined for a line that is neither a sample nor a count of lost ones. */
export function parsePerfLine(line: string): PerfLine {
  const found = SAMPLE.exec(line);
  if (found === null) {
    const lost = lostIn(line);
    return lost === undefined ? undefined : { lost };
  }
  const [, pid, tid, seconds, nanoseconds, weight, event = '', , frame = ''] = found;
  const { symbol, module } = splitFrame(frame);
  return {
    sample: {
      pid: Number(pid),
      tid: Number(tid),
      time: Number(seconds) * 1e9 + Number(nanoseconds),
      weight: Number(weight),
      event,
      symbol,
      module,
    },
  };
}

/** Samples that the kernel had no room for, by the line that tells of them. */
export function lostIn(line: string): number | undefined {
  const lost = line.includes('PERF_RECORD_LOST') ? LOST.exec(line)?.[1] : undefined;
  return lost === undefined ? undefined : Number(lost);
}

/** The map of just-in-time compiled code, named after its process. */
const JIT = /^perf-\d+\.map$/;

/** Splits `symbol (file)`. C++ symbols have brackets too, but a file begins with a slash or is in square brackets. */
export function splitFrame(frame: string): { readonly symbol: string; readonly module: string } {
  const body = frame.endsWith(')') ? frame.slice(0, -1) : frame;
  const at = [body.indexOf(' (/'), body.indexOf(' ([')].filter(index => index >= 0);
  const cut = at.length > 0 ? Math.min(...at) : body.lastIndexOf(' (');
  if (cut < 0) return { symbol: body.trim() || '[unknown]', module: '[unknown]' };
  const module = fileName(body.slice(cut + 2).replace(/ \(deleted\)$/, ''));
  return {
    symbol: body.slice(0, cut).trim() || '[unknown]',
    module: JIT.test(module) ? '[jit]' : module || '[unknown]',
  };
}
