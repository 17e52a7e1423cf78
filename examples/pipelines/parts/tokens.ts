import { ByteTokenizer, defineOperator, type Random } from 'venturi/engine';
import { WORDS } from '../data/prose.ts';

export const PADDING = 0;
export const UNKNOWN = 1;
export const MASK = 2;
const FIRST_WORD = 3;

const tokenizer = new ByteTokenizer(new Map(WORDS.map((word, at) => [word, at + FIRST_WORD])), {
  unknown: UNKNOWN,
  lowercase: true,
});

export const tokensOf = (line: string): Int32Array => tokenizer.encode(line);

/** Cuts the stream of tokens into sequences of `length`, whatever lines they come from; what is left over at the end is lost. */
export const packed = (length: number) =>
  defineOperator({
    kind: 'pack',
    settings: { length },
    open() {
      let sequence = new Int32Array(length);
      let filled = 0;
      return {
        *element(tokens: Int32Array) {
          // One by one: lines are so short that a view of each would take longer than its tokens, and leave more to collect.
          for (let at = 0; at < tokens.length; at++) {
            sequence[filled++] = tokens[at] ?? PADDING;
            if (filled < length) continue;
            yield sequence;
            sequence = new Int32Array(length);
            filled = 0;
          }
        },
      };
    },
  });

/** A sequence of which some tokens are to be guessed, and what they were; -1 where nothing is asked. */
export interface Masked {
  readonly tokens: Int32Array;
  readonly answers: Int32Array;
}

/** Hides 15 % of the tokens: most become MASK, a tenth of them another word, a tenth stay, as BERT was trained. */
export function masked(sequence: Int32Array, rng: Random): Masked {
  const tokens = sequence.slice();
  const answers = new Int32Array(sequence.length).fill(-1);
  for (let at = 0; at < sequence.length; at++) {
    if (!rng.chance(0.15)) continue;
    answers[at] = sequence[at] ?? UNKNOWN;
    const how = rng.uniform();
    if (how < 0.8) tokens[at] = MASK;
    else if (how < 0.9) tokens[at] = FIRST_WORD + rng.int(WORDS.length);
  }
  return { tokens, answers };
}
