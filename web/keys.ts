import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** A letter goes by its place on the keyboard (`code`), so that it is the same in every layout; a sign by itself (`key`). */
export interface Key {
  readonly code?: string;
  readonly key?: string;
  readonly label: string;
  readonly does: string;
  readonly run: () => void;
}

export interface KeyGroup {
  readonly title: string;
  readonly keys: readonly Key[];
}

/** All keys of the page: what answers them and what `?` lists is the same. */
export const keyGroups = signal<readonly KeyGroup[]>([]);

/** Adds keys while a view is there. */
export function useKeys(title: string, keys: readonly Key[]): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const group: KeyGroup = {
      title,
      keys: keys.map((key, at) => ({ ...key, run: () => latest.current[at]?.run() })),
    };
    keyGroups.value = [...keyGroups.value, group];
    return () => {
      keyGroups.value = keyGroups.value.filter(each => each !== group);
    };
  }, []);
}

/** Where somebody types, letters are letters. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export function listenToKeys(): void {
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const pressed = keyGroups.value
      .flatMap(({ keys }) => keys)
      .find(({ code, key }) => (key === undefined ? code === event.code && !event.shiftKey : key === event.key));
    if (pressed === undefined) return;
    event.preventDefault();
    pressed.run();
  });
}
