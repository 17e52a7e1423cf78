"""What the control groups of this process allow, of either version; None where they set no limit."""

import os

from .files import text_of

ROOT = "/sys/fs/cgroup"


def _folders(controller):
    """From this process's own group upwards: every ancestor's limit binds as well."""
    for line in text_of("/proc/self/cgroup").splitlines():
        _, names, path = (line.split(":", 2) + ["", ""])[:3]
        if names == "" and controller is None or controller is not None and controller in names.split(","):
            root = ROOT if controller is None else os.path.join(ROOT, controller)
            parts = [part for part in path.split("/") if part not in ("", "..")]
            # Inside a container the path may be the host's: what shows at the mount point is then its own group.
            for end in range(len(parts), -1, -1):
                yield os.path.join(root, *parts[:end])


def _tightest(limits):
    known = [limit for limit in limits if limit is not None and limit[0] > 0]
    return min(known) if known else None


def cpu_quota():
    """Cores' worth of time, and which version says so."""

    def second(folder):
        words = text_of(os.path.join(folder, "cpu.max")).split()
        return (int(words[0]) / int(words[1]), "cgroup-v2") if len(words) == 2 and words[0].isdigit() else None

    def first(folder):
        quota, period = (text_of(os.path.join(folder, "cpu.cfs_%s_us" % name)) for name in ("quota", "period"))
        return (int(quota) / int(period), "cgroup-v1") if quota.isdigit() and period.isdigit() else None

    return _tightest([second(folder) for folder in _folders(None)] + [first(folder) for folder in _folders("cpu")])


def memory_cap():
    """Bytes, and which version says so."""

    def limit(folder, file, version):
        text = text_of(os.path.join(folder, file))
        return (int(text), version) if text.isdigit() else None

    return _tightest(
        [limit(folder, "memory.max", "cgroup-v2") for folder in _folders(None)]
        + [limit(folder, "memory.limit_in_bytes", "cgroup-v1") for folder in _folders("memory")]
    )
