/** The same question on the engine, on this machine: fewer pipelines, and whatever else the machine does. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { diagnose } from 'venturi';
import { recordRun } from 'venturi/record';
import { logNormal, randomOf } from '../virtual/random.mjs';
import planted, { KINDS } from './on-engine.mjs';

const SECONDS = 6;

export async function engineRuns(report, folder) {
  const data = join(folder, 'data');
  mkdirSync(data);
  const random = randomOf(3);
  const size = logNormal(60e3, 0.8);
  for (let at = 0; at < 400; at++) writeFileSync(join(data, `f${at}`), new Uint8Array(Math.round(size(random))));
  let right = 0;
  for (const name of KINDS) {
    const kind = name.replace(/\/.*/, '');
    const path = join(folder, `${name.replace('/', '-')}.venturi`);
    const run = recordRun(path, planted, { params: { kind: name, folder: data } });
    const until = performance.now() + (kind === 'shuffle-warm-up' ? 60 : SECONDS) * 1000;
    for await (const _ of run) {
      if (kind === 'consumer-bound') await setTimeout(20);
      if (performance.now() > until) break;
    }
    await run.finished;
    const { verdict, others, cpu, rate } = await diagnose(path);
    const isNamed = verdict.operators.length === 0 || kind === 'cpu-bound' || verdict.operators.includes('planted');
    // Where other programs have the cores that is the right verdict, as long as the planted one stands beside it.
    const isDisturbed =
      verdict.kind === 'oversubscribed-cores' &&
      cpu.others > 0.4 * cpu.usable &&
      others.some(other => other.kind === kind);
    const isRight = (verdict.kind === kind && isNamed) || isDisturbed;
    if (isRight) right++;
    report({
      case: `engine/${name}`,
      value: isRight ? 1 : 0,
      unit: 'right',
      said: `${verdict.kind} ${verdict.operators.join('+')}`.trim(),
      cause: verdict.cause.type,
      also: others.map(other => other.kind).join(' '),
      rate: rate.estimate,
      otherPrograms: cpu.others,
    });
  }
  report({
    case: 'accuracy-engine',
    value: right / KINDS.length,
    unit: 'share',
    pipelines: KINDS.length,
    runs: 'engine',
  });
}
