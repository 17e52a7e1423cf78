import type { TimelineSubject } from '../../src/report/page/tiles.ts';

/** Custom properties of the page's styles: colours of subjects, in turn. */
const PALETTE = ['--hue-1', '--hue-2', '--hue-3', '--hue-4', '--hue-5', '--hue-6', '--hue-7', '--hue-8'] as const;

/** Waiting goes by the colour of starving, whoever waits. */
const WAITING = /^(wait|begin|pass)(:|$)/;

/** What has counters and no spans. */
const WITHOUT_SPANS = /^((channel|clock|facts|symbol|element):|(process|host|lane)$)/;

export const hasSpans = ({ key }: TimelineSubject): boolean => !WITHOUT_SPANS.test(key);

/** Name of the custom property that a subject is drawn in: the cause has one of its own. */
export function colourNames(subjects: readonly TimelineSubject[], causes: ReadonlySet<string>): string[] {
  let next = 0;
  return subjects.map(subject => {
    const { key, operators } = subject;
    if (!hasSpans(subject)) return '--soft';
    if (operators.some(id => causes.has(id))) return '--accent';
    if (WAITING.test(key)) return '--starved';
    return PALETTE[next++ % PALETTE.length] ?? '--hue-1';
  });
}

/** Custom properties as they are now; each is looked up once, since there may be very many subjects. */
export function resolved(names: readonly string[], element: Element): string[] {
  const style = getComputedStyle(element);
  const found = new Map([...new Set(names)].map(name => [name, style.getPropertyValue(name).trim()]));
  return names.map(name => found.get(name) ?? '');
}
