import type { JSX } from 'preact';
import type { PageSection } from '../../src/report/page/document.ts';
import { ComparedBars } from './compared-bars.tsx';
import { type ComparedRows, comparedPipelines, comparedPrograms, comparedSteps } from './compared-rows.ts';
import { StagesBeside } from './stages-beside.tsx';

type ComparisonSection = Extract<PageSection, { kind: 'comparison' | 'loader-series' | 'steps-comparison' }>;

/** Runs beside the first of them: bars of what differs, and what the stages of each did. */
export function ComparisonView({ section }: { readonly section: ComparisonSection }): JSX.Element {
  const names = section.data.runs.map(({ name }) => name);
  return (
    <>
      {groupsOf(section).map(group => (
        <ComparedBars key={group.title} group={group} names={names} />
      ))}
      {section.kind === 'comparison' && section.extras !== undefined ? (
        <StagesBeside comparison={section.data} stages={section.extras.stages} />
      ) : null}
    </>
  );
}

function groupsOf(section: ComparisonSection): ComparedRows[] {
  switch (section.kind) {
    case 'comparison':
      return comparedPipelines(section.data);
    case 'loader-series':
      return comparedPrograms(section.data);
    case 'steps-comparison':
      return comparedSteps(section.data);
  }
}
