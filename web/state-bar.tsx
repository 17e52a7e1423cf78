import type { JSX } from 'preact';
import { STATES, type State } from '../src/model/state.ts';
import { percent } from '../src/report/format.ts';

export const STATE_WORDS: Readonly<Record<State, string>> = {
  running: 'running',
  runnable: 'queued for a core',
  blocked: 'blocked',
  starved: 'starved',
  backpressured: 'back-pressured',
};

const SHORT_WORDS: Readonly<Record<State, string>> = { ...STATE_WORDS, runnable: 'queued' };

type Shares = Readonly<Record<State, number>>;

/** All five with their shares, for titles and for who does not see colours. */
export const stateWords = (states: Shares): string =>
  STATES.filter(state => states[state] > 0)
    .map(state => `${STATE_WORDS[state]} ${percent(states[state])}`)
    .join(', ') || 'no state was recorded in the steady part';

/** The two largest: there is no room for more beside a bar. */
export function mainStates(states: Shares, mostCharacters = Number.POSITIVE_INFINITY): string {
  const [first = '', second = ''] = [...STATES]
    .filter(state => states[state] >= 0.005)
    .sort((a, b) => states[b] - states[a])
    .map(state => `${SHORT_WORDS[state]} ${percent(states[state])}`);
  const both = second === '' ? first : `${first} · ${second}`;
  return both.length <= mostCharacters ? both : first;
}

/** Five parts of a lane's time as one bar, drawn into an SVG. */
export function StateRects({
  states,
  x,
  y,
  width,
  height,
}: {
  readonly states: Shares;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}): JSX.Element {
  let at = x;
  return (
    <g>
      <rect class="bar-room" x={x} y={y} width={width} height={height} rx={2} />
      {STATES.map(state => {
        const wide = Math.max(0, Math.min(1, states[state])) * width;
        const from = at;
        at += wide;
        return wide <= 0 ? null : (
          <rect key={state} class={`state-${state}`} x={from} y={y} width={wide} height={height} />
        );
      })}
    </g>
  );
}

export const StateLegend = (): JSX.Element => (
  <ul class="legend">
    {STATES.map(state => (
      <li key={state}>
        <svg width="12" height="12" aria-hidden="true">
          <title>{STATE_WORDS[state]}</title>
          <rect class={`state-${state}`} width="12" height="12" rx="2" />
        </svg>
        {STATE_WORDS[state]}
      </li>
    ))}
  </ul>
);
