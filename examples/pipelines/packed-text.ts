/**
 * Text for a language model that guesses hidden words: lines become tokens, tokens are packed into sequences of one length
 * without padding, and some of them are masked. Steps are small: handing elements from thread to thread costs about as much.
 *
 *     venturi run examples/pipelines/packed-text.ts --epochs 20 --record packed-text
 */
import { lines, pipeline } from 'venturi/engine';
import { EXAMPLES } from './data/made-once.ts';
import { prose } from './data/prose.ts';
import { masked, packed, tokensOf } from './parts/tokens.ts';

const PARAMETERS = { folder: EXAMPLES, sentences: 20_000, length: 128, batch: 32 };

export default pipeline(import.meta, PARAMETERS, ({ folder, sentences, length, batch }) =>
  lines(prose(folder, sentences))
    .map(tokensOf, { name: 'tokens' })
    .apply(packed(length), { name: 'pack' })
    .map((sequence, { rng }) => masked(sequence, rng), { name: 'mask' })
    .batch(batch),
);
