/** A pipeline that runs one query of TPC-H again and again, and writes down how often it did. */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { pipeline, range } from 'venturi/engine';
import * as relational from 'venturi/relational';
import { queriesOf } from '../query/queries.mjs';
import { relationalTables, tpch } from '../query/tpch.mjs';

/** ms of an element: what the engine does around elements shall not be what is measured. */
const ELEMENT_MS = 250;

const scale = Number(process.env.VENTURI_BENCH_SCALE);
/** Planned and compiled before the lane is sampled, and run for the first time when it is. */
function planned(name) {
  const queries = queriesOf(relationalTables(tpch(scale), relational), scale, relational);
  return new relational.Query(queries[name](), { name });
}

const query = isMainThread ? undefined : planned(process.env.VENTURI_BENCH_QUERY);
let runs = 0;

function repeated() {
  const until = performance.now() + ELEMENT_MS;
  do {
    query.columns();
    runs++;
  } while (performance.now() < until);
  writeFileSync(process.env.VENTURI_BENCH_RUNS, String(runs));
  return runs;
}

export default pipeline(import.meta, { seconds: 4 }, ({ seconds }) =>
  range(Math.ceil((seconds * 1000) / ELEMENT_MS)).map(() => repeated(), { name: 'run' }),
);
