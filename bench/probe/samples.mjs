/**
 * Samples of native code beside a program: does any land in the wrong operator, and how many land in one at all. `wrong` is
 * counted where the right answer is known from the code itself: a compression and a hash in turn, each in its own library.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { venturi } from '../harness.mjs';

const ALTERNATE = fileURLToPath(new URL('./alternate.py', import.meta.url));
const CLASSIFY = fileURLToPath(new URL('../../examples/pytorch/classify.py', import.meta.url));

/** Where code can only be the one or the other's; everything else (the interpreter, libc) may serve both. */
const OWNERS = {
  Compress: ({ symbol, module }) => /\blibz\b|^zlib/.test(module) || /deflate|adler32|longest_match|_tr_/.test(symbol),
  Digest: ({ symbol, module }) => /libcrypto|_hashlib|_sha2/.test(module) || /sha256|sha2_/i.test(symbol),
};
const CASES = ['perf/wrong-samples', 'perf/in-operator'];

export async function samples(report, python, folder) {
  const absent = python === undefined ? 'no Python with torch and torchvision' : perfAbsent();
  if (absent !== undefined) {
    for (const name of CASES) report({ case: name, absent });
    return;
  }
  const alternating = await recorded(folder, 'alternate', 4999, [python, ALTERNATE, '4']);
  const { known, wrong } = judge(alternating.samples);
  if (known === 0) report({ case: 'perf/wrong-samples', absent: 'no sample names its library' });
  else {
    report({
      case: 'perf/wrong-samples',
      value: wrong,
      unit: 'samples',
      goal: '== 0',
      known,
      samples: alternating.samples.hits,
      frequency: alternating.samples.frequency,
    });
  }
  const images = join(folder, 'images');
  const program = [python, CLASSIFY, '--folder', images, '--workers', '2', '--epochs', '4'];
  const { samples: classified } = await recorded(folder, 'classify', 999, program);
  report({
    case: 'perf/in-operator',
    value: classified.inOperatorsOfWorkers,
    unit: 'of workers',
    goal: '>= 0.9',
    ofAll: classified.inOperators,
    samples: classified.hits,
  });
}

export function perfAbsent() {
  const { status } = spawnSync('perf', ['record', '-q', '-e', 'cpu-clock', '-o', '/dev/null', '--', 'true'], {
    stdio: 'ignore',
  });
  return status === 0 ? undefined : 'no perf that may record here';
}

async function recorded(folder, name, frequency, program) {
  const run = join(folder, `perf-${name}`);
  await venturi(['record', '--perf-frequency', frequency, '--out', run, '--', ...program]);
  return JSON.parse(await venturi(['samples', run, '--json']));
}

function judge({ operators }) {
  let [known, wrong] = [0, 0];
  for (const { operator, symbols } of operators) {
    const own = operator.replace(/#\d+$/, '');
    for (const row of symbols) {
      for (const [owner, isOwn] of Object.entries(OWNERS)) {
        if (!isOwn(row)) continue;
        known += row.hits;
        if (owner !== own) wrong += row.hits;
      }
    }
  }
  return { known, wrong };
}
