import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { AttributedSample } from '../../analysis/profile/attributed-samples.ts';
import type { Owner } from '../../analysis/profile/owner.ts';
import { Sharing } from '../../analysis/profile/sharing.ts';
import { ownedSamples } from '../../analysis/profile/summary.ts';
import { entryOf } from '../../math/groups.ts';
import { VenturiError } from '../../model/errors.ts';
import type { LoopDictionary } from '../../model/profile.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import type { Warning } from '../../model/warnings.ts';
import type { ProfileFormat } from '../../report/export-formats.ts';
import { collapsedStacks } from '../../report/profile-formats/collapsed.ts';
import { cpuProfileFile } from '../../report/profile-formats/cpu-profile.ts';
import { pprofBytes } from '../../report/profile-formats/pprof.ts';
import { speedscopeFile } from '../../report/profile-formats/speedscope.ts';
import type { LaneStacks, ProfileStacks } from '../../report/profile-formats/stacks.ts';
import { readProfile } from '../../store/profile-reader.ts';
import type { Run } from '../../store/run-reader.ts';
import { countedOperators } from '../profile.ts';
import { VERSION } from '../version.ts';
import type { Exporter } from './exporter.ts';
import type { WrittenFiles } from './written-files.ts';

/** The profile of a run for another program; for `cpuprofile` a file per lane. */
export const profileExporter = (to: ProfileFormat): Exporter => ({
  async run(run, { out, files }) {
    const warnings: Warning[] = [];
    const stacks = await stacksOf(run, warnings);
    const leftOut = ['all but the profile: spans, counters, verdicts'];
    if (to === 'cpuprofile') return { files: await writeLanes(stacks.lanes, out, files), leftOut, warnings };
    await files.write(out, [contentOf(stacks, to)]);
    return { leftOut, warnings };
  },
  steps: undefined,
  takes: [],
});

function contentOf(stacks: ProfileStacks, to: Exclude<ProfileFormat, 'cpuprofile'>): string | Uint8Array {
  switch (to) {
    case 'collapsed':
      return collapsedStacks(stacks);
    case 'speedscope':
      return JSON.stringify(speedscopeFile(stacks, `venturi ${VERSION}`));
    case 'pprof':
      return gzipSync(pprofBytes(stacks, text => Buffer.from(text)));
  }
}

async function writeLanes(lanes: readonly LaneStacks[], folder: string, files: WrittenFiles): Promise<string[]> {
  files.folder(folder);
  const names: string[] = [];
  for (const [at, lane] of lanes.entries()) {
    const name = `${at}-${lane.lane.replaceAll(/[^\w+#.-]/g, '_')}.cpuprofile`;
    await files.write(join(folder, name), [JSON.stringify(cpuProfileFile(lane))]);
    names.push(name);
  }
  return names;
}

async function stacksOf(run: Run, warnings: Warning[]): Promise<ProfileStacks> {
  const profile = readProfile(run.folder, warnings);
  if (profile === undefined) {
    throw new VenturiError('VENTURI_RUN_EMPTY', `The run ${run.folder} has no profile.`, {
      remedy: 'Record one: venturi profile PIPELINE',
    });
  }
  const counted = await countedOperators(run);
  const { rateHeld, samples: owned } = ownedSamples(profile, counted, Number(BigInt(run.manifest.start)));
  const { name } = run.manifest;
  const lanes = new Map<string, AttributedSample[]>();
  const loops = new Map<number, LoopDictionary[]>();
  for (const { tid, loops: own } of profile.lanes) entryOf(loops, tid, () => []).push(...own);
  for (const own of loops.values()) own.sort((a, b) => a.firstLine - b.firstLine);
  for (const sample of new Sharing(owned, counted).given(owned)) {
    entryOf(lanes, sample.lane.lane, () => []).push(sample);
  }
  return {
    name,
    nsPerSample: rateHeld > 0 ? NS_PER_SECOND / rateHeld : 0,
    lanes: [...lanes].map(([lane, samples]) => ({
      lane,
      samples: samples.map(({ time, owner, lane: { tid } }) => ({
        time,
        stack: stackOf(name, owner, loops.get(tid) ?? []),
      })),
    })),
  };
}

const RUNTIME = {
  collection: '(garbage collector)',
  compilation: '(compilation)',
  native: '(program)',
  idle: '(idle)',
  outside: '(elsewhere)',
} as const;

/** pipeline > operator > task > line. Names in brackets are V8's, which viewers know. */
function stackOf(pipeline: string, owner: Owner, loops: readonly LoopDictionary[]): string[] {
  switch (owner.kind) {
    case 'operator':
      return [
        pipeline,
        ...(owner.within === undefined ? [] : [owner.within]),
        owner.operator,
        owner.task,
        ...lineOf(owner.line, loops),
      ];
    case 'engine':
      return [pipeline, 'engine', owner.task, ...lineOf(owner.line, loops)];
    case 'shared':
      return [pipeline, `shared by ${owner.operators.join(' and ')}`];
    default:
      return [RUNTIME[owner.kind]];
  }
}

function lineOf(line: number | undefined, loops: readonly LoopDictionary[]): string[] {
  if (line === undefined) return [];
  const loop = loops.findLast(({ firstLine }) => firstLine <= line);
  if (loop === undefined) return [];
  const at = line - loop.firstLine;
  return [`${loop.file}:${at + 1} ${loop.text.split('\n')[at]?.trim() ?? ''}`];
}
