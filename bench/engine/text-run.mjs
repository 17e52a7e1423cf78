/**
 * `node text-run.mjs TEXT VOCABULARY builtin|udf LINES PASSES [FOLDER [watch]]`: the text pipeline, in a worker, so many times over the
 * LINES of TEXT, recorded into FOLDER if there is one, its events timed with `watch`. With `hash` for FOLDER it says the SHA-256 of every batch instead.
 */
import { createHash } from 'node:crypto';
import { batches } from './batches.mjs';
import text, { BATCH } from './text.mjs';

const [path, vocabulary, by, lines, passes, folder, watch] = process.argv.slice(2);
const params = { text: path, vocabulary, by };

if (folder === 'hash') {
  const hash = createHash('sha256');
  for await (const { rows, columns, data } of text.run({ params })) {
    hash.update(Int32Array.of(rows, columns));
    hash.update(data);
  }
  process.stdout.write(`${JSON.stringify({ hash: hash.digest('hex') })}\n`);
} else {
  const result = await batches({
    definition: text,
    options: { params, epochs: Number(passes) },
    folder,
    watch: watch === 'watch',
    count: Number(lines) * Number(passes),
    batch: BATCH,
    operator: 'tokenize',
    sum({ data }) {
      let total = 0;
      for (let at = 0; at < data.length; at++) total += data[at];
      return total;
    },
  });
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
