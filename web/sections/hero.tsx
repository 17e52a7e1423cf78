import type { JSX } from 'preact';
import type { Block } from '../../src/report/tree.ts';
import { Blocks, Fix } from '../blocks.tsx';

export interface Stat {
  readonly label: string;
  readonly value: string;
  readonly note: string;
}

/** The verdict in large letters, its fix ready to be copied, and the figures to know first. */
export function Hero({
  blocks,
  stats,
  onSelect,
}: {
  readonly blocks: readonly Block[];
  readonly stats: readonly Stat[];
  readonly onSelect?: () => void;
}): JSX.Element {
  const verdict = blocks.find(block => block.type === 'verdict');
  const rest = blocks.filter(({ type }) => type !== 'verdict' && !(type === 'summary' && stats.length > 0));
  return (
    <div class="hero">
      {verdict === undefined ? null : (
        <h3 class={`verdict ${verdict.tone ?? ''}`}>
          {onSelect === undefined ? (
            verdict.text
          ) : (
            <button type="button" onClick={onSelect} title="Show where and when">
              {verdict.text}
            </button>
          )}
        </h3>
      )}
      {verdict?.fix === undefined ? null : <Fix text={verdict.fix} />}
      {stats.length === 0 ? null : (
        <dl class="stats">
          {stats.map(({ label, value, note }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                {value}
                <small>{note}</small>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <Blocks blocks={rest} />
    </div>
  );
}
