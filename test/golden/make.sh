#!/bin/sh
# Records anew what lies in recordings/: make.sh PYTHON RANKED OLD, where PYTHON has torch and torchvision, RANKED a torch that can start
# ranks (2 or newer), OLD is a built checkout of 0.1.0, this checkout is built, and perf is on PATH. `npx vitest run test/golden.test.ts -u`
# then writes what the verbs say of it. All is recorded in /golden: the path stands in the recordings, and nothing may be found there when
# they are read.
set -eu
python=$1
ranked=$2
old=$3
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir /golden
trap 'rm -rf /golden' EXIT
cp "$here"/programs/* "$root/test/fixtures/ranks.py" /golden
cd /golden
mkdir node_modules

# The command line of a checkout.
venturi() {
  ln -sfn "$1" node_modules/venturi
  main=$1/dist/cli/main.js
  shift
  node "$main" "$@"
}

venturi "$root" run written.ts --record pipeline-written
venturi "$root" run joined.ts --record pipeline-joined
venturi "$root" profile shared.ts --record pipeline-profiled
venturi "$old" run joined.ts --record pipeline-joined-0.1.0
node --input-type=module --eval "
  import { METRICS } from '$root/dist/model/index.js';
  import { createRun, openLane } from '$root/dist/store/index.js';
  import { runVirtually } from '$root/bench/virtual/pipeline.mjs';
  import { planted } from '$root/bench/verdicts/planted.mjs';
  for (const kind of ['io-latency', 'sequential-operator']) {
    const { description } = planted(kind, 1);
    runVirtually('pipeline-' + kind, { ...description, seconds: 6, sampleSeconds: 1 }, { createRun, openLane, METRICS });
  }"
venturi "$root" record --out program-none -- "$python" loaders.py 0
venturi "$root" record --out program-workers -- "$python" loaders.py 2
venturi "$root" record --out program-sampled --perf --perf-frequency 99 -- "$python" loaders.py 1
venturi "$root" record --out program-stacks --stacks -- "$python" loaders.py 1
venturi "$old" record --out program-0.1.0 -- "$python" loaders.py 1
OMP_NUM_THREADS=1 venturi "$root" record --out program-ranks -- "$ranked" -m torch.distributed.run --standalone --nproc_per_node 2 ranks.py
venturi "$root" tune joined.ts --for 3s --rounds 2 --json > tuned-pipeline.json
venturi "$root" tune --batches 40 --json -- "$python" loaders.py 0 > tuned-program.json
# Each plan that was tried, whether or not it was worth it.
node --input-type=module --eval "
  import { readFileSync, writeFileSync } from 'node:fs';
  const { plan, tried } = JSON.parse(readFileSync('tuned-pipeline.json', 'utf8'));
  for (const [at, { changes }] of tried.entries()) {
    writeFileSync('plan-' + (at + 1) + '.json', JSON.stringify({ ...plan, changes }, undefined, 2));
  }"

# No path of this machine: another one of the same length takes its place. A lane has text in pieces of 14 bytes, one at the beginning of
# each record of 24.
"$python" - "$root" "$old" "$(dirname "$(dirname "$ranked")")" <<'END'
import glob, re, sys

def masked(text):
    for path in map(str.encode, sys.argv[1:]):
        text = text.replace(path, re.sub(rb"[^/]", b"x", path))
    return text

for name in glob.glob("*.json") + glob.glob("*.venturi/run.json"):
    with open(name, "r+b") as file:
        text = masked(file.read())
        file.seek(0)
        file.write(text)
for name in glob.glob("*.venturi/lanes/*"):
    with open(name, "r+b") as file:
        lane = bytearray(file.read())
        places = [at for at in range(len(lane)) if at % 24 < 14]
        for at, byte in zip(places, masked(bytes(lane[at] for at in places))):
            lane[at] = byte
        file.seek(0)
        file.write(lane)
END

rm -rf "$here/recordings"
mkdir "$here/recordings"
cp -r ./*.venturi plan-*.json tuned-*.json "$here/recordings"
