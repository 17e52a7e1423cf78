/**
 * The two plans of figure 10 of Tailored Profiling under V8's sampler: which operator is at work when. Run as a program with the name of a plan and a scale it prints, as JSON, the CPU of a run and the
 * operators' shares of samples in equal stretches of the time in which the pipeline with both probes ran.
 */
import { Session } from 'node:inspector/promises';

const STRETCHES = 32;
const WARM_UP = 3;
/** Runs of which samples are put together: one of them has some hundred. */
const RUNS = 10;

async function sampled(query) {
  const session = new Session();
  session.connect();
  const samples = [];
  const starts = new Map();
  session.on('NodeTracing.dataCollected', ({ params }) => {
    for (const { name, id, ts, args } of params.value) {
      if (name === 'Profile') starts.set(id, args.data?.startTime ?? ts);
      if (name !== 'ProfileChunk') continue;
      let at = starts.get(id);
      for (const [place, delta] of (args.data?.timeDeltas ?? []).entries()) {
        at += delta;
        samples.push({ at, line: args.data.lines?.[place] ?? 0 });
      }
      starts.set(id, at);
    }
  });
  const complete = new Promise(resolve => session.once('NodeTracing.tracingComplete', resolve));
  await session.post('NodeTracing.start', {
    traceConfig: { includedCategories: ['disabled-by-default-v8.cpu_profiler'] },
  });
  const compiled = query();
  for (let run = 0; run < WARM_UP; run++) compiled.columns();
  const spans = [];
  const began = process.cpuUsage();
  for (let run = 0; run < RUNS; run++) {
    const from = Number(process.hrtime.bigint() / 1000n);
    compiled.columns();
    spans.push({ from, until: Number(process.hrtime.bigint() / 1000n) });
  }
  const { user, system } = process.cpuUsage(began);
  await session.post('NodeTracing.stop');
  await complete;
  session.disconnect();
  return { compiled, samples, spans, ms: (user + system) / 1e3 / RUNS };
}

async function measure(name, scale) {
  const api = await import('venturi/relational');
  const { relationalTables, tpch } = await import('./tpch.mjs');
  const { paperQueries, salesTables } = await import('./paper.mjs');
  const tables = { ...relationalTables(tpch(scale), api), ...salesTables(1, 1, api) };
  const relation = paperQueries(tables, api)[name]();
  const { compiled, samples, spans, ms } = await sampled(() => new api.Query(relation, { optimise: false }));
  const { dictionary, firstLine } = compiled;
  const probe = dictionary.tasks.find(({ role }) => role === 'aggregate').pipeline;
  const stretches = Array.from({ length: STRETCHES }, () => ({}));
  const counts = new Array(STRETCHES).fill(0);
  for (const { from, until } of spans) {
    const own = samples
      .filter(({ at }) => at >= from && at < until)
      .map(({ at, line }) => ({ at, tasks: dictionary.tasksOf(line - firstLine + 1) }));
    const probing = own.filter(({ tasks }) => tasks.some(task => dictionary.tasks[task].pipeline === probe));
    const [first, last] = [probing[0]?.at ?? 0, (probing.at(-1)?.at ?? 0) + 1];
    for (const { at, tasks } of probing) {
      const stretch = Math.floor(((at - first) / (last - first)) * STRETCHES);
      counts[stretch]++;
      for (const task of tasks) {
        const { label } = dictionary.operators[dictionary.tasks[task].operator];
        stretches[stretch][label] = (stretches[stretch][label] ?? 0) + 1 / tasks.length;
      }
    }
  }
  const shares = stretches.map((own, at) =>
    Object.fromEntries(Object.entries(own).map(([label, count]) => [label, count / counts[at]])),
  );
  return { ms, samples: counts.reduce((sum, count) => sum + count, 0), shares };
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [name, scale] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(await measure(name, Number(scale))));
  process.exit();
}
