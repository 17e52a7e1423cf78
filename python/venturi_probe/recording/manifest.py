"""run.json of a recording begun by hand; `venturi record` writes its own."""

import json
import os
import platform
import sys
import time
import uuid

from . import cgroup, control
from .files import open_regular, text_of


def create(name, probe, redact=False, batches=None):
    folder = os.path.abspath(name if name.endswith(".venturi") else name + ".venturi")
    os.makedirs(os.path.join(folder, "lanes"))
    control.make(folder)
    facts = _facts(folder, probe)
    if batches is not None:
        facts["settings"] = {"batches": batches}
    if redact:
        facts.update(command=[], directory="", redacted=True)
    _write(folder, facts)
    return folder


def finish(folder):
    """The final mark. A program that ends otherwise leaves a run that is read and called incomplete."""
    try:
        with open_regular(os.path.join(folder, "run.json")) as file:
            facts = json.load(file)
        facts["outcome"] = {
            "status": "completed",
            "endedAt": _wall(),
            "monotonic": str(time.monotonic_ns()),
            "warnings": [],
        }
        _write(folder, facts)
        os.remove(os.path.join(folder, "control"))
    except (OSError, ValueError) as error:
        control.fail(error)


def _facts(folder, probe):
    return {
        "format": "venturi-run",
        "version": 1,
        "writer": "venturi_probe",
        "id": str(uuid.UUID(bytes=os.urandom(16), version=4)),
        "name": os.path.basename(folder)[: -len(".venturi")],
        "probe": probe,
        "createdAt": _wall(),
        "command": [sys.executable or "python"] + list(getattr(sys, "argv", [])),
        "directory": os.getcwd(),
        "pid": os.getpid(),
        "start": str(time.monotonic_ns()),
        "bootId": text_of("/proc/sys/kernel/random/boot_id"),
        "clocks": [{"monotonic": str(time.monotonic_ns()), "domain": "realtime", "value": str(time.time_ns())}],
        "host": _host(),
    }


def _host():
    present = os.cpu_count() or 1
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else present
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        memory = 0
    limit = "none" if usable == present else "affinity"
    quota = cgroup.cpu_quota()
    if quota is not None and quota[0] < usable:
        usable, limit = quota
    most = cgroup.memory_cap()
    is_capped = most is not None and most[0] < memory
    return {
        "platform": sys.platform,
        "arch": platform.machine(),
        "kernel": platform.release(),
        "cpuModel": platform.processor() or "unknown",
        "coresPresent": present,
        "coresUsable": usable,
        "coresLimit": limit,
        **_physical(),
        **_by_session(),
        "memoryPresent": memory,
        "memoryUsable": most[0] if is_capped else memory,
        "memoryLimit": most[1] if is_capped else "none",
        "runtime": "python " + platform.python_version(),
    }


def _physical():
    """Cores of their own among those the scheduler may use: the others are second threads of these."""
    cpus = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
    siblings = {text_of("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list" % cpu) for cpu in cpus}
    return {"coresPhysical": len(siblings)} if siblings and "" not in siblings else {}


def _by_session():
    """Whether the scheduler divides cores among sessions, not among threads."""
    enabled = text_of("/proc/sys/kernel/sched_autogroup_enabled")
    return {"coresBySession": enabled == "1"} if enabled else {}


def _wall():
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())


def _write(folder, facts):
    fresh = os.path.join(folder, "run.json.new")
    with open(fresh, "w") as file:
        json.dump(facts, file, indent=2)
    os.replace(fresh, os.path.join(folder, "run.json"))
