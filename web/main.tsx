import { render } from 'preact';
import { App } from './app.tsx';
import { listenToKeys } from './keys.ts';
import { serveSimulations } from './scaleout/simulation-worker.ts';
import { openSource } from './source.ts';
import { linkSelection, linkTheme } from './state.ts';

/** The page takes the place of what was readable without it, once its data is there. */
async function start(): Promise<void> {
  const place = document.getElementById('venturi-page');
  if (place === null) return;
  linkTheme(document.documentElement);
  try {
    const source = await openSource(document);
    document.title = `${source.document.value.title} · venturi`;
    linkSelection();
    listenToKeys();
    render(<App source={source} />, place);
    document.getElementById('venturi-content')?.remove();
  } catch (error) {
    const why = document.createElement('p');
    why.className = 'broken';
    why.textContent = `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
    place.replaceChildren(why);
  }
}

// A worker of the page is made of this very text: the policy of the page allows no other.
if (typeof document === 'undefined') serveSimulations();
else void start();
