/** `node heavy-run.mjs COUNT PARALLELISM FOLDER`: the CPU-heavy pipeline, and what its lanes say of their waiting. */
import { runInfo } from 'venturi';
import { recordRun } from 'venturi/record';
import heavy from './heavy.mjs';
import { reading } from './small-work.mjs';

const [count, parallelism] = [Number(process.argv[2]), Number(process.argv[3])];
const folder = process.argv[4];

const began = reading();
const run = recordRun(folder, heavy, { params: { count }, set: { churn: { parallelism } } });
let elements = 0;
let sum = 0;
let first;
let last;
for await (const element of run) {
  sum += element;
  last = reading();
  first ??= { ...last, elements: run.progress().operators[1].elementsOut };
  elements++;
}
const end = reading();
if (elements !== count) throw new Error(`${count} elements were expected, ${elements} came`);

const { lanesRows, manifest } = await runInfo(folder);
const lanes = lanesRows.filter(({ name }) => name.startsWith('churn#'));
if (lanes.length !== parallelism) throw new Error(`${parallelism} lanes were expected, ${lanes.length} were recorded`);
const total = state => lanes.reduce((ns, lane) => ns + lane[state], 0);
const result = {
  sum,
  cpu: (last.cpu - first.cpu) / (count - first.elements),
  wall: (last.wall - first.wall) / (count - first.elements),
  totalWall: (end.wall - began.wall) / count,
  queued: total('runnable') / total('running'),
  coresUsable: manifest.host.coresUsable,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
