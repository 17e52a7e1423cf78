/**
 * Pairs of sentences for translation: two files line by line, pairs that cannot belong together dropped, the rest
 * shuffled, and batches of about the same length, so that little is padded.
 *
 *     venturi run examples/pipelines/translation.ts --epochs 20 --record translation
 */
import { lines, pipeline, zip } from 'venturi/engine';
import { EXAMPLES } from './data/made-once.ts';
import { translations } from './data/prose.ts';
import { belongTogether, cleaned, encoded, longer, padded } from './parts/pair.ts';

const PARAMETERS = { folder: EXAMPLES, pairs: 20_000, batch: 32 };

export default pipeline(import.meta, PARAMETERS, ({ folder, pairs, batch }) => {
  const { source, target } = translations(folder, pairs);
  return zip([lines(source, { name: 'source' }), lines(target, { name: 'target' })], { name: 'pairs' })
    .map(cleaned, { name: 'clean' })
    .map(encoded, { name: 'encode' })
    .filter(belongTogether, { name: 'belong' })
    .shuffle(2000)
    .groupByLength(batch, [10, 15, 20, 25], longer, { name: 'bucket' })
    .map(padded, { name: 'pad' });
});
