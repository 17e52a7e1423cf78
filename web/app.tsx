import type { JSX } from 'preact';
import type { PageDocument, PageSection, SectionKind, SectionOf } from '../src/report/page/document.ts';
import { BatchesView } from './batches/batches-view.tsx';
import { ActivityView } from './charts/activity-view.tsx';
import { ComparisonView } from './compare/comparison-view.tsx';
import { NO_SELECTION } from './link.ts';
import { LoadersBeside } from './loaders/loaders-beside.tsx';
import { Help, openHelp, openPalette, Palette } from './palette.tsx';
import { PlanView } from './plan/plan-view.tsx';
import { TrialsView } from './plan/trials-view.tsx';
import { ProfileView } from './profile/profile-view.tsx';
import { ScaleoutSection } from './scaleout/scaleout-section.tsx';
import { SectionLinks } from './section-links.tsx';
import { CpuOverTime } from './sections/cpu-over-time.tsx';
import { DiagnosisSection } from './sections/diagnosis.tsx';
import { Report } from './sections/report.tsx';
import type { PageSource } from './source.ts';
import { nextTheme, selection, theme } from './state.ts';
import { TimelineView } from './timeline/timeline-view.tsx';
import { TimesView } from './times/times-view.tsx';
import { WhatIfView } from './what-if/what-if-view.tsx';

export function App({ source }: { readonly source: PageSource }): JSX.Element {
  const document = source.document.value;
  return (
    <div class="page">
      <Top document={document} following={source.following.value} />
      <nav class="side" aria-label="Sections">
        <SectionLinks document={document} />
      </nav>
      <main>
        {document.sections.map(section => (
          <section key={section.id} id={`section-${section.id}`} class="card" aria-label={section.title}>
            <header class="section-title">
              <h2 class="section-name">{section.title}</h2>
            </header>
            <SectionView key={versionOf(section)} section={section} document={document} source={source} />
          </section>
        ))}
        <footer>
          <p>
            Made {document.madeAt.slice(0, 16).replace('T', ' ')} UTC
            {document.redacted ? ' · without paths, arguments and host names' : ''}
          </p>
          {document.dropped.map(text => (
            <p key={text}>{text}</p>
          ))}
        </footer>
      </main>
      <Help />
      <Palette document={document} />
    </div>
  );
}

/** Views with a state of their own begin anew where their data is another; a report just shows what is new. */
const STATEFUL: ReadonlySet<SectionKind> = new Set([
  'timeline',
  'activity',
  'prediction',
  'profile',
  'cluster-prediction',
  'tuning',
] as const);
const versions = new WeakMap<object, number>();
let latestVersion = 0;

function versionOf({ kind, data }: PageSection): number {
  if (!STATEFUL.has(kind)) return 0;
  const known = versions.get(data) ?? ++latestVersion;
  versions.set(data, known);
  return known;
}

const FOLLOWING = { no: '', live: '● live', ended: 'the run has ended', lost: 'the server is gone' } as const;

function Top({
  document,
  following,
}: {
  readonly document: PageDocument;
  readonly following: keyof typeof FOLLOWING;
}): JSX.Element {
  const { operators, range } = selection.value;
  const ending = endingOf(document);
  const isSelecting = operators.length > 0 || range !== undefined;
  return (
    <header class="top">
      <span class="brand" aria-hidden="true">
        <svg width="26" height="16" viewBox="0 0 26 16">
          <title>venturi</title>
          <path d="M0 1C8 1 8 6 13 6S18 1 26 1V15C18 15 18 10 13 10S8 15 0 15Z" />
        </svg>
        venturi
      </span>
      <h1 class="run-name">{document.title}</h1>
      <nav class="contents" aria-label="Sections">
        <details>
          <summary class="quiet">sections</summary>
          <SectionLinks document={document} />
        </details>
      </nav>
      {ending === undefined ? null : <span class={`ending ${ending}`}>{ending}</span>}
      <span class={`following ${following}`}>{FOLLOWING[following]}</span>
      <span class="grow" />
      {isSelecting ? (
        <button
          type="button"
          class="chip"
          onClick={() => {
            selection.value = NO_SELECTION;
          }}
        >
          {[
            operators.length === 0 ? '' : operators.length === 1 ? operators[0] : `${operators.length} operators`,
            range === undefined ? '' : `${range.from.toFixed(2)}–${range.to.toFixed(2)} s`,
          ]
            .filter(text => text !== '')
            .join(' · ')}
          <span aria-hidden="true"> ✕</span>
          <span class="unseen"> clear the selection</span>
        </button>
      ) : null}
      <button type="button" class="quiet" onClick={openPalette} title="Go to a section or an operator">
        search <kbd>K</kbd>
      </button>
      <button type="button" class="quiet" onClick={openHelp} title="All keys">
        ?
      </button>
      <button type="button" class="quiet" onClick={nextTheme} title="Light, dark, or as the system has it">
        {theme.value === 'auto' ? 'theme: auto' : theme.value}
      </button>
    </header>
  );
}

/** How a run ended where that was not well; undefined also where a section tells of it as it goes on. */
function endingOf(document: PageDocument): string | undefined {
  const run = sectionOf(document, 'run')?.data;
  const state = run === undefined || run.complete ? run?.status : 'incomplete';
  return state === 'completed' ? undefined : state;
}

const sectionOf = <K extends SectionKind>(document: PageDocument, kind: K): SectionOf<K> | undefined =>
  document.sections.find((section): section is SectionOf<K> & PageSection => section.kind === kind);

function SectionView({
  section,
  document,
  source,
}: {
  readonly section: PageSection;
  readonly document: PageDocument;
  readonly source: PageSource;
}): JSX.Element {
  switch (section.kind) {
    case 'activity':
      return <ActivityView data={section.data} causes={causesIn(document)} />;
    case 'prediction':
      return section.extras === undefined ? (
        <Report blocks={section.blocks} />
      ) : (
        <WhatIfView data={section.data} basis={section.extras.basis} />
      );
    case 'profile':
      return <ProfileView data={section.data} />;
    case 'timeline':
      return section.data.spans === 0 ? (
        <p class="muted">No spans were recorded in this run.</p>
      ) : (
        <TimelineView data={section.data} tiles={source.tiles} causes={causesIn(document)} />
      );
    case 'live':
      return (
        <>
          <Report blocks={section.blocks} />
          {section.data.pipeline === undefined ? null : <CpuOverTime pipeline={section.data.pipeline} />}
        </>
      );
    case 'batches':
      return <BatchesView data={section.data} />;
    case 'diagnosis':
      return <DiagnosisSection section={section} info={sectionOf(document, 'run')?.data} />;
    case 'times':
      return <TimesView data={section.data} />;
    case 'program-diagnosis':
      return (
        <Report
          blocks={section.blocks}
          drawing={<LoadersBeside loaders={section.data.loaders.map(({ summary }) => summary)} />}
        />
      );
    case 'program-tuning':
      return <Report blocks={section.blocks} drawing={<TrialsView data={section.data} />} />;
    case 'tuning':
      return <Report blocks={section.blocks} drawing={<PlanView data={section.data} />} />;
    case 'comparison':
    case 'loader-series':
    case 'steps-comparison':
      return <Report blocks={section.blocks} drawing={<ComparisonView section={section} />} />;
    case 'cluster-prediction':
      return <ScaleoutSection section={section} />;
    default:
      return <Report blocks={section.blocks} />;
  }
}

/** Operators that the verdict names as the cause. */
function causesIn(document: PageDocument): ReadonlySet<string> {
  const verdict = sectionOf(document, 'diagnosis')?.data.verdict;
  return new Set(verdict?.limits === true ? verdict.operators : []);
}
