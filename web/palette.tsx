import { computed, signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PageDocument } from '../src/report/page/document.ts';
import { type Command, commandsOf, matching } from './commands.ts';
import { keyGroups, useKeys } from './keys.ts';
import { NO_SELECTION } from './link.ts';
import { showSection } from './section-links.tsx';
import { nextTheme, selection, selectOperators } from './state.ts';

const open = signal<'help' | 'palette' | undefined>(undefined);
const wanted = signal('');
const chosen = signal(0);

export const openHelp = (): void => {
  open.value = 'help';
};

export const openPalette = (): void => {
  wanted.value = '';
  chosen.value = 0;
  open.value = 'palette';
};

const close = (): void => {
  open.value = undefined;
};

/** A dialog of the browser: it holds the focus and closes with Escape. */
function Dialog({
  name,
  children,
}: {
  readonly name: 'help' | 'palette';
  readonly children: JSX.Element;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = open.value === name;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={dialog}
      class={name}
      aria-label={name === 'help' ? 'Keys' : 'Go to'}
      // The browser tells of it later: another dialog may be open by then.
      onClose={() => {
        if (open.value === name) close();
      }}
    >
      {isOpen ? children : null}
    </dialog>
  );
}

export function Help(): JSX.Element {
  useKeys('Page', [
    { key: '?', label: '?', does: 'all keys', run: openHelp },
    { code: 'KeyK', label: 'K', does: 'go to a section or an operator', run: openPalette },
    { code: 'KeyT', label: 'T', does: 'light or dark', run: nextTheme },
    {
      key: 'Escape',
      label: 'Esc',
      does: 'clear the selection',
      run: () => {
        selection.value = NO_SELECTION;
      },
    },
  ]);
  return (
    <Dialog name="help">
      <div>
        <h2>Keys</h2>
        {keyGroups.value.map(({ title, keys }) => (
          <div key={title}>
            <h3>{title}</h3>
            <dl class="facts">
              {keys.map(({ label, does }) => (
                <div key={label}>
                  <dt>
                    <kbd>{label}</kbd>
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </div>
    </Dialog>
  );
}

export function Palette({ document }: { readonly document: PageDocument }): JSX.Element {
  const found = computed(() => matching(commandsOf(document), wanted.value));
  return (
    <Dialog name="palette">
      <div>
        <input
          type="search"
          autofocus
          placeholder="Go to a section or an operator"
          aria-label="Go to a section or an operator"
          value={wanted.value}
          onInput={event => {
            wanted.value = event.currentTarget.value;
            chosen.value = 0;
          }}
          onKeyDown={event => {
            const last = found.value.length - 1;
            if (event.key === 'ArrowDown') chosen.value = Math.min(last, chosen.value + 1);
            else if (event.key === 'ArrowUp') chosen.value = Math.max(0, chosen.value - 1);
            else if (event.key === 'Enter') run(found.value[chosen.value]);
            else return;
            event.preventDefault();
          }}
        />
        <ul class="commands">
          {found.value.map((command, at) => (
            <li key={`${command.kind} ${command.id}`}>
              <button type="button" class={at === chosen.value ? 'chosen' : ''} onClick={() => run(command)}>
                {command.label} <small>{command.kind}</small>
              </button>
            </li>
          ))}
          {found.value.length === 0 ? <li class="muted">Nothing is called so.</li> : null}
        </ul>
      </div>
    </Dialog>
  );
}

function run(command: Command | undefined): void {
  if (command === undefined) return;
  close();
  if (command.kind === 'operator') selectOperators([command.id]);
  else showSection(command.id);
}
