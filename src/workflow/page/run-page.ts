import { basename } from 'node:path';
import { type Pyramid, PyramidFold } from '../../analysis/pyramid/pyramid.ts';
import { count } from '../../report/format.ts';
import { batchArrows } from '../../report/page/batch-arrows.ts';
import type { PageDocument, PageSection } from '../../report/page/document.ts';
import { timelineOf } from '../../report/page/timeline.ts';
import { foldRecords } from '../../store/fold.ts';
import { openRun } from '../../store/run-reader.ts';
import { LatestMoment } from '../latest-moment.ts';
import { readerOf } from '../targets/registry.ts';
import { sectionsOf } from './sections.ts';

/** A page: its document, and the spans behind its timeline, where it has one. */
export interface RunPage {
  readonly document: PageDocument;
  readonly pyramid: Pyramid | undefined;
}

/** The page of a recorded run, or of a file that another program wrote. */
export async function runPage(path: string): Promise<RunPage> {
  const sections = await sectionsOf(path);
  if (readerOf([path]) !== undefined) {
    return { document: documentOf(basename(path), sections, false), pyramid: undefined };
  }
  const { name, redacted } = openRun(path).manifest;
  const pyramid = await pyramidOf(path, sections);
  if (pyramid === undefined) return { document: documentOf(name, sections, redacted), pyramid };
  const document = documentOf(name, [...sections, pyramid.section], redacted, pyramid.dropped);
  return { document, pyramid: pyramid.pyramid };
}

export const documentOf = (
  title: string,
  sections: readonly PageSection[],
  redacted: boolean,
  dropped: readonly string[] = [],
): PageDocument => ({ schema: 'venturi.page/1', title, madeAt: new Date().toISOString(), redacted, dropped, sections });

/** Undefined for a run without spans. */
async function pyramidOf(path: string, sections: readonly PageSection[]) {
  const run = openRun(path);
  const fold = new PyramidFold();
  const latest = new LatestMoment();
  await foldRecords(run.records(), [fold, latest]);
  const pyramid = fold.result();
  if (pyramid.spans === 0) return undefined;
  const batches = sections.find(section => section.kind === 'batches');
  const arrows = batches === undefined ? [] : batchArrows(pyramid, batches.data);
  const data = timelineOf(pyramid, run.manifest.graph, latest.endOf(run.manifest), arrows);
  const text = `${count(pyramid.spans)} spans in ${count(pyramid.lanes.length)} lanes.`;
  const section: PageSection = {
    kind: 'timeline',
    id: 'timeline',
    title: 'Timeline',
    blocks: [{ type: 'paragraph', text }],
    data,
  };
  const { leftOut } = pyramid;
  return { pyramid, section, dropped: leftOut === 0 ? [] : [`${count(leftOut)} spans that lie deep in others.`] };
}
