/** `node weblog-by-hand.mjs LOG OUT`: the visits in a web server's log, in JSON Lines, as one would write it with Node alone. */
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { isView, parse, Sessions } from './weblog-lines.mjs';

const [log, out] = process.argv.slice(2);
const sessions = new Sessions();
const output = createWriteStream(out);

async function write(session) {
  if (!output.write(`${JSON.stringify(session)}\n`)) await once(output, 'drain');
}

for await (const line of createInterface({ input: createReadStream(log), crlfDelay: Number.POSITIVE_INFINITY })) {
  const hit = parse(line);
  if (!isView(hit)) continue;
  const session = sessions.add(hit);
  if (session !== undefined) await write(session);
}
for (const session of sessions.rest()) await write(session);
output.end();
await finished(output);
