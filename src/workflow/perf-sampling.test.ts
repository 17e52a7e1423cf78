import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_PERF } from '../probes/samples/perf-process.ts';
import { PERF_SAMPLES, PROFILE_FOLDER } from '../store/profile-files.ts';
import { temporaryFolder } from '../store/run.fixture.ts';
import { PerfSampling } from './perf-sampling.ts';

/** Attaches, and has a sample of this process and one of another. */
const WORKING = `#!/bin/sh
case "$1" in
  record)
    read -r order <&3
    printf 'ack\\n' >&4
    trap 'exit 0' INT
    while :; do sleep 0.01; done ;;
  evlist) printf 'cpu-clock:u\\ndummy:HG\\n' ;;
  script)
    printf '%s/77 12.000000005: 1001 cpu-clock:u: 0\\n\\t1000 memmove (/lib/libc.so.6)\\n\\n' "$VENTURI_TEST_PID"
    printf '1/78 12.000000006: 1001 cpu-clock:u: 0\\n\\t1000 memmove (/lib/libc.so.6)\\n\\n'
    printf 'x 1/1 12.0: PERF_RECORD_LOST lost 12\\n' ;;
esac
`;
/** As perf says it of a user who may not. */
const FORBIDDEN = `#!/bin/sh
echo 'Error:' >&2
echo 'Access to performance monitoring and observability operations is limited.' >&2
exit 255
`;
/** Knows the clock alone. */
const CLOCK_ONLY = WORKING.replace(
  'read -r order',
  'case "$*" in *cache-misses*) echo "event syntax error: \'cache-misses\': invalid event" >&2; exit 129 ;; esac\n    read -r order',
);

/** Samples with the program `perf`, or none; gives the warnings, and what lies in the profile's folder. */
async function sampled(
  perf: string | undefined,
  events = DEFAULT_PERF.events,
): Promise<[readonly string[], string[], string]> {
  const folder = temporaryFolder();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  if (perf !== undefined) {
    writeFileSync(join(bin, 'perf'), perf);
    chmodSync(join(bin, 'perf'), 0o755);
  }
  const { PATH } = process.env;
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
  process.env.VENTURI_TEST_PID = String(process.pid);
  process.env.PATH = perf === undefined ? bin : `${bin}:${PATH}`;
  const sampling = await PerfSampling.begin(folder, 'file:///p.ts', { events, frequency: 999 });
  const warnings = await sampling.end();
  const own = join(folder, PROFILE_FOLDER);
  const names = readdirSync(own);
  return [warnings, names, names.includes(PERF_SAMPLES) ? readFileSync(join(own, PERF_SAMPLES), 'utf8') : ''];
}

describe.skipIf(process.platform !== 'linux')('perf beside a run (skipped where this is no Linux)', () => {
  it('that is not there is told with what to install, and leaves nothing behind', async () => {
    expect(await sampled(undefined)).toEqual([
      [expect.stringMatching(/^VENTURI_PERF_UNAVAILABLE: .*perf is not on PATH\. Install linux-perf/)],
      [],
      '',
    ]);
  });

  it('that is forbidden is told with what would allow it', async () => {
    const [warnings, names] = await sampled(FORBIDDEN);
    expect(warnings).toEqual([expect.stringMatching(/^VENTURI_PERF_UNAVAILABLE: .*perf_event_paranoid/)]);
    expect(names).toEqual([]);
  });

  it('gives its samples of this process alone, and says what was lost', async () => {
    const [warnings, names, text] = await sampled(WORKING);
    expect(warnings).toEqual(['perf lost 12 samples: the machine was too busy to take them.']);
    expect(names).toEqual([PERF_SAMPLES]);
    const [facts, ...pieces] = text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(facts).toEqual({ perf: { profiler: 'perf', events: ['cpu-clock'], frequency: 999 } });
    expect(pieces).toEqual([
      {
        ...{ tid: 77, frames: [[1, 0, '(program)', '', 0, 0]], natives: [['memmove', 'libc.so.6']] },
        samples: [[12_000_000_005, 1, 0, 0, 0, 1001, 0]],
      },
    ]);
  });

  it('takes the clock where an event does not exist, and says so', async () => {
    const [warnings, names] = await sampled(CLOCK_ONLY, ['cache-misses']);
    expect(warnings).toEqual(
      expect.arrayContaining([
        expect.stringContaining('an event does not exist here'),
        "cache-misses cannot be sampled here: perf's samples are of cpu-clock.",
      ]),
    );
    expect(names).toEqual([PERF_SAMPLES]);
  });
});
