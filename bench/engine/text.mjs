/** Lines → ids → padded batches, by the engine's own tokenizer or by a function of the user's. */
import { readFileSync } from 'node:fs';
import { ByteTokenizer, lines, perWorker, pipeline } from 'venturi/engine';

export const BATCH = 64;

const builtin = vocabulary =>
  perWorker(() => {
    const tokenizer = new ByteTokenizer(listOf(vocabulary), { lowercase: true });
    return { call: line => tokenizer.encode(line) };
  });

/** What text_peer.py does in Python, line by line: words and single marks, an entry of a dictionary for each. */
const udf = vocabulary =>
  perWorker(() => {
    const ids = new Map(listOf(vocabulary).map((token, id) => [token, id]));
    const token = /[0-9a-z\u0080-\uffff]+|[^ \t-\r]/g;
    return {
      call(line) {
        const tokens = line.toLowerCase().match(token) ?? [];
        return Int32Array.from(tokens, found => ids.get(found) ?? 0);
      },
    };
  });

const listOf = path => JSON.parse(readFileSync(path, 'utf8'));

export default pipeline(import.meta, { text: String, vocabulary: String, by: 'builtin' }, ({ text, vocabulary, by }) =>
  lines(text)
    .map(by === 'udf' ? udf(vocabulary) : builtin(vocabulary), { name: 'tokenize' })
    .paddedBatch(BATCH),
);
