import { useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { CostBasis } from '../../src/prediction/cost/basis.ts';
import { outlookOn } from '../../src/prediction/cost/outlook.ts';
import type { Prediction } from '../../src/report/results/prediction.ts';
import { shellWord } from '../../src/report/shell-word.ts';
import { predictionReport } from '../../src/report/views/prediction.ts';
import { Blocks } from '../blocks.tsx';
import { Copy } from '../copy.tsx';
import { partsOf } from '../parts.ts';
import { Hero } from '../sections/hero.tsx';
import { Limits } from './limits.tsx';
import { commandOf, type Positions, type Slider, slidersOf, valueAt, whatIfOf } from './sliders.ts';

/** Forecasts for other resources, computed here by the functions that `venturi predict` calls. */
export function WhatIfView({ data, basis }: { readonly data: Prediction; readonly basis: CostBasis }): JSX.Element {
  const sliders = useMemo(() => slidersOf(basis), [basis]);
  const positions = useSignal<Positions>({});
  const prediction = useComputed((): Prediction => {
    const whatIf = whatIfOf(sliders, positions.value);
    return Object.keys(whatIf).length === 0 ? data : { ...data, whatIf, ...outlookOn(basis, whatIf) };
  });
  const isChanged = sliders.some(slider => valueAt(slider, positions.value[slider.resource]) !== undefined);
  const [top, ...parts] = partsOf(predictionReport(prediction.value));
  const command = commandOf(shellWord(data.folder), sliders, positions.value);
  return (
    <>
      <div class="sliders">
        {sliders.map(slider => (
          <Range
            key={slider.resource}
            slider={slider}
            position={positions.value[slider.resource] ?? 0}
            onChange={position => {
              positions.value = { ...positions.value, [slider.resource]: position };
            }}
          />
        ))}
        <div class="sliders-foot">
          <code>{command}</code>
          <Copy text={command} />
          <button
            type="button"
            class="copy"
            disabled={!isChanged}
            onClick={() => {
              positions.value = {};
            }}
          >
            as recorded
          </button>
        </div>
      </div>
      <div aria-live="polite">
        <Hero blocks={top?.blocks ?? []} stats={[]} />
      </div>
      {parts.map(({ heading, blocks }) => {
        const [block] = blocks;
        return (
          <div key={heading?.text}>
            {heading === undefined ? null : <Blocks blocks={[heading]} />}
            {heading?.text === 'Limits' && block?.type === 'facts' ? (
              <Limits prediction={prediction.value} names={block.items} />
            ) : null}
            <Blocks blocks={blocks} />
          </div>
        );
      })}
    </>
  );
}

function Range({
  slider,
  position,
  onChange,
}: {
  readonly slider: Slider;
  readonly position: number;
  readonly onChange: (position: number) => void;
}): JSX.Element {
  const value = valueAt(slider, position);
  const words = value === undefined ? `as recorded: ${slider.recorded}` : slider.words(value);
  return (
    <label class={value === undefined ? 'range' : 'range changed'}>
      <span>{slider.label}</span>
      <input
        type="range"
        min={0}
        max={slider.values.length}
        step={1}
        value={position}
        aria-valuetext={words}
        name={slider.resource}
        onInput={event => onChange(Number(event.currentTarget.value))}
      />
      <output>{words}</output>
    </label>
  );
}
