import type { JSX } from 'preact';
import type { PageDocument } from '../src/report/page/document.ts';

/** Beside the sections, or folded at the top where a screen has no room for that. */
export const SectionLinks = ({ document }: { readonly document: PageDocument }): JSX.Element => (
  <ul class="section-links">
    {document.sections.map(({ id, title }) => (
      <li key={id}>
        <a
          href={`#section-${id}`}
          onClick={event => {
            event.preventDefault();
            event.currentTarget.closest('details')?.removeAttribute('open');
            showSection(id);
          }}
        >
          {title}
        </a>
      </li>
    ))}
  </ul>
);

/** The fragment of the address holds the selection, so a section is scrolled to by hand. Keys go on from there. */
export function showSection(id: string): void {
  const section = document.getElementById(`section-${id}`);
  if (section === null) return;
  section.tabIndex = -1;
  section.focus({ preventScroll: true });
  section.scrollIntoView({ block: 'start' });
}
