import { VenturiError } from '../../model/errors.ts';
import { heading, paragraph } from '../../report/blocks.ts';
import type { PageSection } from '../../report/page/document.ts';
import { profileReport } from '../../report/views/profile.ts';
import { runInfoReport } from '../../report/views/run-info.ts';
import { samplesReport } from '../../report/views/run-samples.ts';
import { isProfiled } from '../../store/profile-reader.ts';
import { openRun } from '../../store/run-reader.ts';
import { refuseLargeGraph } from '../graph-limit.ts';
import { runInfo } from '../info.ts';
import { SYMBOLS_KEPT } from '../inspect.ts';
import { profileRun } from '../profile.ts';
import { runSamples } from '../samples.ts';
import { readerOf, targetOf } from '../targets/registry.ts';
import type { PageSectionMaker } from '../targets/target.ts';

/** Everything that is known of a run, or of a file that another program wrote, each section by itself: what one lacks does not take the others down. */
export async function sectionsOf(path: string): Promise<PageSection[]> {
  const reader = readerOf([path]);
  const makers = reader === undefined ? runMakers(path) : reader.sections(path);
  const sections: PageSection[] = [];
  const refused: VenturiError[] = [];
  for (const make of makers) {
    try {
      const section = await make();
      if (section !== undefined) sections.push(section);
    } catch (error) {
      if (!(error instanceof VenturiError)) throw error;
      refused.push(error);
    }
  }
  const [first, ...others] = sections;
  if (first === undefined) throw refused[0] ?? new Error(`a page of ${path} has no section`);
  // A sentence said by several is said once.
  const reasons = [...new Set(refused.map(({ message, remedy = '' }) => `${message} ${remedy}`.trim()))];
  if (reasons.length === 0) return sections;
  const blocks = [...first.blocks, heading('What could not be told'), ...reasons.map(text => paragraph(text, 'warn'))];
  return [{ ...first, blocks }, ...others];
}

function runMakers(path: string): PageSectionMaker[] {
  const run = openRun(path);
  refuseLargeGraph(run.manifest, 'page');
  return [
    ...targetOf(run.manifest).sections(path),
    async () => {
      const data = await runInfo(path);
      return { kind: 'run', id: 'run', title: 'What was recorded', blocks: runInfoReport(data), data };
    },
    ...(isProfiled(run.folder) ? [() => profileSection(path)] : []),
    ...(run.samples === undefined ? [] : [() => samplesSection(path)]),
  ];
}

async function profileSection(path: string): Promise<PageSection> {
  const data = await profileRun(path);
  return { kind: 'profile', id: 'profile', title: 'Profile', blocks: profileReport(data, 'operator'), data };
}

async function samplesSection(path: string): Promise<PageSection> {
  const data = await runSamples(path);
  return {
    kind: 'samples',
    id: 'samples',
    title: 'Samples of native code',
    blocks: samplesReport(data, SYMBOLS_KEPT),
    data,
  };
}
