/**
 * Plain jobs on text, each in processes of its own: visits out of a web server's log, and orders that are looked up over HTTP, 16 at a time.
 * CPU is that of all processes a program takes, from its start to its end; the service is somebody else's.
 */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeLog, writeOrders } from './etl/data.mjs';
import { spread } from './harness.mjs';

const LINES = 1_500_000;
const ORDERS = 25_000;
const ROUNDS = 3;
const WEBLOG_BY_HAND = fileURLToPath(new URL('./etl/weblog-by-hand.mjs', import.meta.url));
const ENRICH_BY_HAND = fileURLToPath(new URL('./etl/enrich-by-hand.mjs', import.meta.url));
const SERVER = fileURLToPath(new URL('./etl/customers-server.mjs', import.meta.url));

export default async function etl(report) {
  const folder = mkdtempSync(join(tmpdir(), 'venturi-etl-'));
  const log = join(folder, 'access.log');
  const orders = join(folder, 'orders.jsonl');
  const out = join(folder, 'out.jsonl');
  const server = spawn(process.execPath, [SERVER], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const [port] = await once(server.stdout, 'data');
    const service = `http://127.0.0.1:${String(port).trim()}`;
    writeLog(log, LINES);
    writeOrders(orders, ORDERS);
    for (const [name, args] of [
      ['weblog by hand', [WEBLOG_BY_HAND, log, out]],
      ['enrich by hand', [ENRICH_BY_HAND, orders, service, out]],
    ]) {
      const cpu = [];
      for (let round = 0; round < ROUNDS; round++) cpu.push((await spent([process.execPath, ...args])).cpu);
      report({ case: name, ...spread(cpu), unit: 's CPU', result: hashOf(out) });
    }
  } finally {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

const hashOf = path => createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16);

/** Runs a command to its end. CPU seconds are those of all processes it took, as its shell has counted them. */
async function spent(command) {
  const began = performance.now();
  const { stdout } = await promisify(execFile)('sh', ['-c', '"$@" > /dev/null && times', 'sh', ...command]);
  const wall = (performance.now() - began) / 1e3;
  const [, children = ''] = stdout.trim().split('\n');
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, rest]) => 60 * minutes + Number(rest));
  return { cpu: seconds.reduce((sum, each) => sum + each, 0), wall };
}
