import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/**
 * Draws anew when a signal changes that `draw` reads; what it returns is called before the next time. At once, where `useSignalEffect` waits for a
 * frame: none comes between the wish to print and the print.
 */
export function useDrawing(draw: () => undefined | (() => void)): void {
  const latest = useRef(draw);
  latest.current = draw;
  useEffect(() => effect(() => latest.current()), []);
}
