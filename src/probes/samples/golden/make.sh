#!/bin/sh
# Makes the files beside it with the profilers of today: make.sh PYTHON, where PYTHON has torch, torchvision and Pillow, and
# py-spy, austin, mojo2austin (austin-python), perf and venturi are on PATH. Paths of the machine are replaced, and all but the first stacks are cut.
set -eu
python=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
cd "$work"
packages=$("$python" -c 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))')
library=$("$python" -c 'import os; print(os.path.dirname(os.__file__))')
shortened() {
  sed -e "s|$packages|/opt/packages|g" -e "s|$library|/opt/python|g" -e "s|$here|/home/me|g" -e "s|$work|/tmp/work|g" "$@"
}

venturi record --out golden --batches 40 --then-stop -- "$python" "$here/program.py" "$work/images"
venturi info golden --json | "$python" -c '
import json, sys
loaders = json.load(sys.stdin)["batches"]["loaders"]
rows = [row for loader in loaders for row in loader["operators"] if row.get("location")]
print(json.dumps({row["operator"]: row["location"] for row in rows}, indent=2))' | shortened > "$here/operators.json"

"$python" "$here/program.py" "$work/images" > ready &
program=$!
trap 'kill $program; rm -rf "$work"' EXIT
until grep -q ready ready; do sleep 0.1; done
py-spy record --pid $program --duration 3 --rate 50 --format raw --output raw.txt
shortened raw.txt | head -n 60 > "$here/py-spy-raw.txt"
py-spy record --pid $program --duration 1 --rate 20 --format speedscope --output speedscope.json
shortened speedscope.json > "$here/py-spy-speedscope.json"
# It ends with another code than 0 after its time.
austin --pid $program --exposure 1 --interval 20ms --output austin.mojo || test -s austin.mojo
LC_ALL=C shortened austin.mojo > "$here/austin.mojo"
mojo2austin austin.mojo austin.txt
shortened austin.txt > "$here/austin.txt"
perf record -q -k CLOCK_MONOTONIC -e cpu-clock -F 99 -p $program -o perf.data -- sleep 1
perf script -i perf.data -F pid,tid,time,period,event,ip,sym,dso --ns | shortened | head -n 60 > "$here/perf-script.txt"
