import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';

const SHOWN_MS = 1500;

/** Copies a text, where the browser lets a page do so. */
export function Copy({ text }: { readonly text: string }): JSX.Element {
  const state = useSignal<'copy' | 'copied' | 'select it'>('copy');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      state.value = 'copied';
    } catch {
      state.value = 'select it';
    }
    setTimeout(() => {
      state.value = 'copy';
    }, SHOWN_MS);
  };
  return (
    <button type="button" class="copy" onClick={() => void copy()} aria-label={`Copy: ${text}`}>
      {state}
    </button>
  );
}
