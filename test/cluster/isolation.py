"""A process tree of its own network, mounts and process ids: whatever ends it, the kernel takes all of that back, and the host's network never changes."""

import os
import shutil
import signal
import subprocess
import sys

INSIDE = "VENTURI_CLUSTER_INSIDE"

# Exit status that says that there can be no cluster here.
REFUSED = 3

# util-linux and iproute2: Debian has both in every installation but the smallest containers.
TOOLS = ("unshare", "setpriv", "ip", "tc", "sysctl")

# A network of two hosts, inside. Root of a container may lack the right to make one, and a kernel the parts of it.
TRIAL = "import isolation; isolation.enter(); from network import Network; Network(1, 1, 1e8)"

_HERE = os.path.dirname(os.path.abspath(__file__))


def missing():
    """Why there can be no cluster here, in a few words; None where there can."""
    absent = [tool for tool in TOOLS if shutil.which(tool, path=_path()) is None]
    if absent:
        return f"{', '.join(absent)} not installed (Debian: iproute2, util-linux)"
    if os.geteuid() != 0:
        return "network namespaces need root"
    tried = subprocess.run(_inside("-c", TRIAL), env=_environment(), cwd=_HERE, capture_output=True, text=True)
    if tried.returncode != 0:
        return f"no network can be made here: {(tried.stderr.strip() or str(tried.returncode)).splitlines()[-1]}"
    return None


def enter():
    """Runs this program again inside, and ends with it; returns where it is inside already."""
    os.environ["PATH"] = _path()
    if os.environ.get(INSIDE) == "1":
        _mount_names()
        return
    reason = missing()
    if reason is not None:
        sys.stderr.write(f"NO CLUSTER ({reason})\n")
        raise SystemExit(REFUSED)
    inside = subprocess.Popen(_inside(*sys.argv), env=_environment())
    # unshare itself ignores all three.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: inside.kill())
    status = inside.wait()
    raise SystemExit(status if status >= 0 else 128 - status)


def _inside(*arguments):
    """A command line that runs Python inside. This process's end ends unshare, unshare's end ends the first process inside, and that one's end every other.
    Namespaces are held by processes and by mounts inside alone, so nothing of them can be left."""
    command = ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount", "--ipc", "--pid", "--fork"]
    return [*command, "--kill-child=KILL", "--mount-proc", sys.executable, *arguments]


def _environment():
    return {**os.environ, "PATH": _path(), INSIDE: "1"}


def _path():
    return os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])


def _mount_names():
    """`ip netns` keeps its names under /run/netns: these are seen in here only. No name server can be reached from here, and gloo would ask for seconds
    what the peers' addresses are called."""
    from commands import run

    run("mount", "--bind", "/dev/null", "/etc/resolv.conf")
    os.makedirs("/run/netns", exist_ok=True)
    run("mount", "-t", "tmpfs", "tmpfs", "/run/netns")
    run("ip", "link", "set", "lo", "up")
