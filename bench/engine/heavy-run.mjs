/** `node heavy-run.mjs COUNT PARALLELISM FOLDER`: the CPU-heavy pipeline, and what its lanes say of their waiting. */
import { runInfo } from 'venturi';
import { batches } from './batches.mjs';
import heavy from './heavy.mjs';

const [count, parallelism] = [Number(process.argv[2]), Number(process.argv[3])];
const folder = process.argv[4];

const options = { params: { count }, set: { churn: { parallelism } } };
const run = await batches({ definition: heavy, options, folder, count, batch: 1, operator: 'churn', sum: x => x });

const { lanesRows, manifest } = await runInfo(folder);
const lanes = lanesRows.filter(({ name }) => name.startsWith('churn#'));
if (lanes.length !== parallelism) throw new Error(`${parallelism} lanes were expected, ${lanes.length} were recorded`);
const total = state => lanes.reduce((ns, lane) => ns + lane[state], 0);
const result = { ...run, queued: total('runnable') / total('running'), coresUsable: manifest.host.coresUsable };
process.stdout.write(`${JSON.stringify(result)}\n`);
