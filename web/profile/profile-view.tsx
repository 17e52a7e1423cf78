import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { count, percent } from '../../src/report/format.ts';
import type { Profile } from '../../src/report/results/profile.ts';
import { PROFILE_LEVELS, type ProfileLevel, profileReport } from '../../src/report/views/profile.ts';
import { Blocks } from '../blocks.tsx';
import { partsOf } from '../parts.ts';
import { Hero } from '../sections/hero.tsx';
import { isSelected, selectOperators } from '../state.ts';
import { type FlameBox, flameBoxes, flameOf } from './flame.ts';

const HEIGHT = 26;
/** A name is written into a box from this part of the whole width on. */
const NAMED = 0.025;

/** Who had the lanes: a flame graph, and the report at any level. */
export function ProfileView({ data }: { readonly data: Profile }): JSX.Element {
  const level = useSignal<ProfileLevel>('operator');
  const boxes = useMemo(() => flameBoxes(flameOf(data)), [data]);
  const depth = Math.max(0, ...boxes.map(box => box.depth)) + 1;
  const [top, ...parts] = partsOf(profileReport(data, level.value));
  return (
    <>
      <Hero blocks={top?.blocks ?? []} stats={[]} />
      {data.samples === 0 ? null : (
        <>
          <h3>
            Samples <small>by operator, task and generated line; the tables below have the figures</small>
          </h3>
          <div class="flame" style={{ height: `${depth * HEIGHT}px` }}>
            {boxes.map((box, at) => (
              <Box key={at} box={box} all={data.samples} />
            ))}
          </div>
        </>
      )}
      <fieldset class="levels">
        <legend class="unseen">Level of the tables</legend>
        {PROFILE_LEVELS.map(each => (
          <label key={each}>
            <input
              type="radio"
              name="profile-level"
              checked={level.value === each}
              onChange={() => {
                level.value = each;
              }}
            />
            {each}
          </label>
        ))}
      </fieldset>
      {parts.map(({ heading, blocks }, at) => (
        <Blocks key={at} blocks={heading === undefined ? blocks : [heading, ...blocks]} />
      ))}
    </>
  );
}

function Box({ box: { node, depth, x, width }, all }: { readonly box: FlameBox; readonly all: number }): JSX.Element {
  const { name, operator, hits } = node;
  const words = `${name}: ${percent(hits / all)}, ${count(hits)} samples`;
  const place = {
    left: `${100 * x}%`,
    width: `calc(${100 * width}% - 1px)`,
    top: `${depth * HEIGHT}px`,
    height: `${HEIGHT - 1}px`,
  };
  const text = width < NAMED ? '' : name;
  if (operator === undefined) {
    return (
      <div class={depth === 0 ? 'flame-box whole' : 'flame-box other'} style={place} title={words}>
        {text}
      </div>
    );
  }
  const isChosen = isSelected([operator]);
  return (
    <button
      type="button"
      class={`flame-box depth-${Math.min(3, depth)} ${isChosen ? 'chosen' : ''}`}
      style={place}
      title={words}
      aria-label={words}
      aria-pressed={isChosen}
      onClick={() => selectOperators([operator])}
    >
      {text}
    </button>
  );
}
