"""Runs a command and prints one line of JSON: what it printed last, and the CPU of everything it started."""

import json
import os
import resource
import signal
import subprocess
import sys

#: A profiler that takes more than this has failed; without a limit it would take the machine with it.
MOST_MEMORY = 10 * 2**30
MOST_SECONDS = 240

resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "universal_newlines": True}
program = subprocess.Popen(sys.argv[1:], start_new_session=True, **pipes)
try:
    output, errors = program.communicate(timeout=MOST_SECONDS)
except subprocess.TimeoutExpired:
    os.killpg(program.pid, signal.SIGKILL)
    output, errors = "", "it took more than %d s" % MOST_SECONDS
    program.wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
lines = [line for line in output.splitlines() if line.startswith("{")]
print(json.dumps({
    "code": program.returncode,
    "cpu": used.ru_utime + used.ru_stime,
    "said": json.loads(lines[-1]) if lines else None,
    "error": errors[-300:],
}))
