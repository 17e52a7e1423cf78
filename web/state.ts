import { effect, signal } from '@preact/signals';
import { linkOf, NO_SELECTION, type Selection, selectionOf } from './link.ts';

/** What is selected, on all views at once. */
export const selection = signal<Selection>(NO_SELECTION);

export const isSelected = (operators: readonly string[]): boolean =>
  operators.some(id => selection.value.operators.includes(id));

export function selectOperators(operators: readonly string[]): void {
  const { operators: now, range } = selection.value;
  const isSame = now.length === operators.length && operators.every(id => now.includes(id));
  selection.value = { operators: isSame ? [] : operators, range };
}

export function selectRange(range: Selection['range']): void {
  selection.value = { ...selection.value, range };
}

/** The address holds the selection, so that it can be sent to somebody. */
export function linkSelection(): void {
  selection.value = selectionOf(location.hash);
  addEventListener('hashchange', () => {
    selection.value = selectionOf(location.hash);
  });
  effect(() => {
    const link = linkOf(selection.value);
    if (link !== location.hash.replace(/^#/, ''))
      history.replaceState(null, '', link === '' ? location.pathname + location.search : `#${link}`);
  });
}

export type Theme = 'auto' | 'light' | 'dark';
const THEMES: readonly Theme[] = ['auto', 'light', 'dark'];
export const theme = signal<Theme>('auto');
/** Paper has no dark ground: it is light whatever was chosen. Drawings are then wanted at once, since no other frame comes. */
export const printing = signal(false);
/** What is shown. Drawings with colours of their own are made anew where it changes. */
export const shade = signal<'light' | 'dark'>('light');

/** As the system has it, unless somebody chose. Kept where the browser lets a page keep something. */
export function linkTheme(root: HTMLElement): void {
  const kept = THEMES.find(each => each === keptTheme());
  if (kept !== undefined) theme.value = kept;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const isSystemDark = signal(dark.matches);
  dark.addEventListener('change', ({ matches }) => {
    isSystemDark.value = matches;
  });
  const paper = matchMedia('print');
  printing.value = paper.matches;
  paper.addEventListener('change', ({ matches }) => {
    printing.value = matches;
  });
  // Firefox prints a copy, made behind this event, and the page itself is never told of paper.
  addEventListener('beforeprint', () => {
    printing.value = true;
  });
  addEventListener('afterprint', () => {
    printing.value = paper.matches;
  });
  effect(() => {
    const chosen = theme.value === 'auto' ? (isSystemDark.value ? 'dark' : 'light') : theme.value;
    const now = printing.value ? 'light' : chosen;
    root.dataset.theme = now;
    // Behind the attribute: whoever draws reads colours that are there already.
    shade.value = now;
    try {
      localStorage.setItem('venturi-theme', theme.value);
    } catch {
      // A file that was mailed may have no storage: the choice lasts as long as the page.
    }
  });
}

function keptTheme(): string | null {
  try {
    return localStorage.getItem('venturi-theme');
  } catch {
    return null;
  }
}

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto';
}
