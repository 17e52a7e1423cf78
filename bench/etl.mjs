/**
 * Plain jobs on text beside programs written by hand with Node alone: visits out of a web server's log, and orders that are looked up over
 * HTTP, 16 at a time. Ours are run by `venturi run`, not recorded unless the case says so. CPU is that of all processes a program takes, from
 * its start to its end; the service is somebody else's. The two sides take turns, and must have written the same bytes. `divided`: with the
 * parser in two threads of its own, so that every line and every hit passes from thread to thread. `inline`: with no threads at all.
 * A word behind the bench's name, `weblog`, `enrich` or `inline`, leaves out the other groups; `--rounds N` sets how often.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeLog, writeOrders } from './etl/data.mjs';
import { CLI, inFolder, interleaved, medianOf, option, printed } from './harness.mjs';

const LINES = 1_600_000;
const ORDERS = 25_000;
const ROUNDS = 9;

const WEBLOG = new URL('./etl/weblog.mjs', import.meta.url);
const WEBLOG_BY_HAND = new URL('./etl/weblog-by-hand.mjs', import.meta.url);
const ENRICH = new URL('./etl/enrich.mjs', import.meta.url);
const ENRICH_BY_HAND = new URL('./etl/enrich-by-hand.mjs', import.meta.url);
const SERVER = new URL('./etl/customers-server.mjs', import.meta.url);

export default async function etl(report, { args }) {
  const [, group = ''] = args.filter(arg => !arg.startsWith('-') && Number.isNaN(Number(arg)));
  const rounds = Number(option(args, 'rounds') ?? ROUNDS);
  const chosen = name => group === '' || group === name;
  await inFolder(async folder => {
    if (chosen('weblog') || chosen('inline')) writeLog(join(folder, 'access.log'), LINES);
    if (chosen('weblog')) await weblogCases(report, folder, rounds);
    if (chosen('inline')) await inlineCase(report, folder, rounds);
    if (chosen('enrich')) await withService(service => enrichCase(report, folder, service, rounds));
  });
}

async function weblogCases(report, folder, rounds) {
  const byHand = weblogByHand(folder);
  await compare(report, 'weblog/hand-written', { ours: weblog(folder), peer: byHand, rounds, goal: '>= 0.8' });
  const divided = weblog(folder, '--set', 'parse.parallelism=2');
  await compare(report, 'weblog divided/hand-written', { ours: divided, peer: byHand, rounds });
  let recordings = 0;
  const recorded = out => [...weblog(folder)(out), '--record', join(folder, `recorded-${recordings++}`)];
  await compare(report, 'weblog recorded/hand-written', { ours: recorded, peer: byHand, rounds });
  const short = mkdtempSync(join(folder, 'short-'));
  writeFileSync(join(short, 'access.log'), '');
  await compare(report, 'start-up/hand-written', { ours: weblog(short), peer: weblogByHand(short), rounds });
}

async function inlineCase(report, folder, rounds) {
  const [ours, peer] = [weblog(folder, '--inline'), weblog(folder)];
  await compare(report, 'inline/threaded', { ours, peer, rounds, goal: '>= 0.9' });
}

const weblogByHand = folder => out => [fileURLToPath(WEBLOG_BY_HAND), join(folder, 'access.log'), out];

const weblog =
  (folder, ...more) =>
  out => [...running(WEBLOG, { log: join(folder, 'access.log'), out }), ...more];

async function enrichCase(report, folder, service, rounds) {
  const orders = join(folder, 'orders.jsonl');
  writeOrders(orders, ORDERS);
  await compare(report, 'enrich/hand-written', {
    ours: out => running(ENRICH, { orders, service, out }),
    peer: out => [fileURLToPath(ENRICH_BY_HAND), orders, service, out],
    rounds,
    goal: '>= 0.7',
  });
}

const running = (pipeline, params) => [
  CLI,
  'run',
  fileURLToPath(pipeline),
  ...Object.entries(params).flatMap(([name, value]) => ['--param', `${name}=${value}`]),
];

async function withService(work) {
  const server = spawn(process.execPath, [fileURLToPath(SERVER)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [port] = await once(server.stdout, 'data');
    await work(`http://127.0.0.1:${String(port).trim()}`);
  } finally {
    server.kill();
  }
}

/** `ours` and `peer` give what Node is to run, for the file they are to write. */
async function compare(report, name, { ours, peer, rounds, goal }) {
  const written = new Set();
  await inFolder(async folder => {
    const side = command => async () => {
      const out = join(folder, 'out.jsonl');
      const took = await spent(command(out));
      written.add(createHash('sha256').update(readFileSync(out)).digest('hex'));
      rmSync(out);
      return took;
    };
    const { cpu, wall, ...all } = await interleaved({ ours: side(ours), peer: side(peer), rounds });
    if (written.size !== 1) throw new Error(`${name}: the two sides did not write the same`);
    report({
      case: name,
      ...cpu,
      unit: 'x CPU',
      wall: wall.value,
      cpuSecondsOurs: medianOf(all.ours, 'cpu'),
      cpuSecondsPeer: medianOf(all.peer, 'cpu'),
      rounds,
      ...(goal !== undefined && { goal }),
    });
  });
}

/** Runs Node to its end. CPU seconds are those of all processes that took, as their shell has counted them. */
async function spent(args) {
  const began = performance.now();
  const command = [process.execPath, ...args];
  const times = await printed('sh', ['-c', '"$@" > /dev/null && times', 'sh', ...command]);
  const wall = (performance.now() - began) / 1e3;
  const [, children = ''] = times.trim().split('\n');
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, rest]) => 60 * minutes + Number(rest));
  return { cpu: seconds.reduce((sum, each) => sum + each, 0), wall };
}
