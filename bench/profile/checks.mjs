import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The checks of Tailored Profiling §6.3 on the samples of a query, from the files of the run alone. Tag against position: the line of a sample lies in
 * the function that V8 says the sample was in, or in one that can be compiled into that. Plausible events: pipelines run one after the other, so from
 * one sample to the next the pipeline goes back only where the query begins anew. Regularity of the moments at which samples are taken.
 */
export function checksOf(folder, runs) {
  const dictionaries = readdirSync(folder)
    .filter(name => name.startsWith('lane-'))
    .map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  const query = dictionaries.find(({ isQuery }) => isQuery);
  const [{ firstLine, text, file }] = query.loops;
  const functions = functionsOf(text.split('\n'), firstLine);
  const functionAt = line => functions.find(({ first, last }) => first <= line && line <= last);
  let [placed, generated, back] = [0, 0, 0];
  const deltas = [];
  for (const { frames, samples } of streamsOf(join(folder, 'samples.jsonl'), query.tid)) {
    let before = 0;
    for (const { node, line, delta } of samples) {
      deltas.push(delta);
      const own = functionAt(line);
      if (own === undefined) continue;
      generated++;
      const [, , , inFile, start] = frames.get(node);
      // Frames count lines from 0. Helpers and whole pipelines are compiled into what calls them.
      const outer = inFile === file ? functionAt(start + 1) : undefined;
      if (own === outer || own.isHelper || outer?.pipeline === own.pipeline) placed++;
      if (own.pipeline === undefined) continue;
      if (own.pipeline < before) back++;
      before = own.pipeline;
    }
  }
  deltas.sort((a, b) => a - b);
  const at = part => deltas[Math.floor(part * (deltas.length - 1))];
  return {
    'tag at position': placed / generated,
    'steps back a run': back / runs,
    'interval, µs': at(0.5),
    'p5 / median': at(0.05) / at(0.5),
    'p95 / median': at(0.95) / at(0.5),
  };
}

/** The functions of a query's code, with the numbers of their lines, and the pipeline that each is or enters. */
function functionsOf(lines, firstLine) {
  return lines.flatMap((text, at) => {
    const [, name, number] = /^function ([a-zA-Z]+)(\d*)\(/.exec(text) ?? [];
    if (name === undefined) return [];
    const last = lines.findIndex((line, next) => next > at && line.startsWith('}'));
    const isPipeline = name === 'pipeline' || name === 'enter';
    return [
      {
        first: firstLine + at,
        last: firstLine + last,
        pipeline: isPipeline ? Number(number) : undefined,
        isHelper: !isPipeline,
      },
    ];
  });
}

/** Samples of one thread, a list for each time that sampling began. */
function streamsOf(file, tid) {
  const streams = new Map();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue;
    const { start, stream, frames, samples, lines, deltas } = JSON.parse(line);
    if (start?.[1] === tid) streams.set(start[0], { frames: new Map(), samples: [] });
    const own = streams.get(stream);
    if (own === undefined) continue;
    for (const frame of frames) own.frames.set(frame[0], frame);
    for (const [at, node] of samples.entries()) own.samples.push({ node, line: lines[at], delta: deltas[at] });
  }
  return [...streams.values()];
}
