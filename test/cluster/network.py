"""Hosts, each a network namespace with one link to a common switch; both directions of a link are shaped by a token bucket."""

import ctypes
import errno
import os
import subprocess
import sys

from commands import run

# Loss-based, and Linux's default: BBR keeps its own estimate of the rate, which a token bucket's bursts mislead.
CONGESTION_CONTROL = "cubic"
# Time in which a bucket fills, in ms: the kernel's timers are finer by far, and a burst this short moves no transfer's end.
BURST_MS = 1
# Rate that htb grants each class before any may borrow, in bit/s: as good as none. A class saves up what it was granted while it was idle, and goes before those that
# borrow until that is used up. With a ninth of the link each, a worker that came late overtook the others, and six workers stayed in step with each other.
GRANTED_RATE = 8000
# Largest packet that a segmenting network card hands on as one, in bytes: it must fit the bucket.
LARGEST_PACKET = 9000
UNUSED_PORT = 9
# What a connection's receiver takes before it has read, in bytes, which bounds what is under way to it: with the kernel's default of megabytes, two servers that send to one
# worker had 500 kB each in the queue of its port, a whole model, and were free for others while it still waited. Models here are a thousandth of real ones, and what a
# switch holds must be as small beside them. This leaves 25 kB in a queue, and one connection still fills a link.
RECEIVE_BUFFER = 32768
# Linux's own.
LEAST_BUFFER = 4096

_CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


class Host:
    """A machine of the cluster: where its processes run, and its address."""

    def __init__(self, name, number):
        self.name = name
        self.address = f"10.77.0.{number + 1}"

    def enter(self):
        """Moves the calling thread, and what it starts from now on, into this host's network."""
        handle = os.open(f"/run/netns/{self.name}", os.O_RDONLY)
        try:
            if _libc.setns(handle, _CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), f"setns {self.name}")
        finally:
            os.close(handle)

    def reaches(self, other):
        """Whether the other host's system answers this one: there is no program at that port, and it says so."""
        connect = f"import socket, sys; sys.exit(socket.socket().connect_ex(('{other.address}', {UNUSED_PORT})) != {errno.ECONNREFUSED})"
        return subprocess.run(self.command(sys.executable, "-c", connect)).returncode == 0

    def command(self, *words):
        """A command line that runs on this host."""
        return ["ip", "netns", "exec", self.name, *[str(word) for word in words]]


class Network:
    """All hosts and the switch between them. It ends with the process tree, see isolation.py."""

    def __init__(self, servers, workers, bits_per_second):
        names = [f"ps{number}" for number in range(servers)] + [f"worker{number}" for number in range(workers)]
        self.hosts = [Host(name, number) for number, name in enumerate(names)]
        self.servers, self.workers = self.hosts[:servers], self.hosts[servers:]
        run("ip", "link", "add", "switch", "type", "bridge")
        run("ip", "link", "set", "switch", "up")
        self._rate = None
        for host in self.hosts:
            self._attach(host)
        self.shape(bits_per_second)

    def _attach(self, host):
        run("ip", "netns", "add", host.name)
        run("ip", "link", "add", host.name, "type", "veth", "peer", "name", "eth0", "netns", host.name)
        run("ip", "link", "set", host.name, "master", "switch", "gso_max_size", LARGEST_PACKET, "up")
        run(*host.command("ip", "address", "add", f"{host.address}/24", "dev", "eth0"))
        run(*host.command("ip", "link", "set", "eth0", "gso_max_size", LARGEST_PACKET, "up"))
        run(*host.command("ip", "link", "set", "lo", "up"))
        # By the route: the setting of a namespace admits only what the machine's own list allows.
        run(*host.command("ip", "route", "change", "10.77.0.0/24", "dev", "eth0", "congctl", CONGESTION_CONTROL))
        # What one connection learnt about the path would be handed to the next, and measurements depend on their order.
        run(*host.command("sysctl", "-qw", "net.ipv4.tcp_no_metrics_save=1"))
        run(*host.command("sysctl", "-qw", f"net.ipv4.tcp_rmem={LEAST_BUFFER} {RECEIVE_BUFFER} {RECEIVE_BUFFER}"))

    def silent(self):
        """Names of the hosts that the first one cannot reach."""
        first, *others = self.hosts
        return [host.name for host in others if not first.reaches(host)]

    def granted(self):
        """Rates that the first host's port grants to others before they take turns, as tc writes them."""
        lines = run("tc", "class", "show", "dev", self.hosts[0].name).splitlines()
        words = [line.split() for line in lines if "parent" in line]
        return sorted({line[line.index("rate") + 1] for line in words})

    def shape(self, bits_per_second):
        """Sets the rate of every link."""
        if bits_per_second == self._rate:
            return
        for host in self.hosts:
            self._shape_port(host, int(bits_per_second))
            self._shape_card(host, int(bits_per_second))
        self._rate = bits_per_second

    def _shape_port(self, host, rate):
        """A switch's port towards a host: hosts that send to it take turns."""
        self._take_turns([], host.name, "src", host, rate)

    def _shape_card(self, host, rate):
        """A host's network card: hosts that it sends to take turns, as under fq_codel, which most distributions set."""
        self._take_turns(host.command(), "eth0", "dst", host, rate)

    def _take_turns(self, prefix, device, side, host, rate):
        """A token bucket out of which hosts take a packet each in turn, as many as have one. In one queue for all, what a worker asks for would stand behind another's
        gradients: forecasts take links to be fair."""
        run(*prefix, "tc", "qdisc", "delete", "dev", device, "root", check=False)
        lines = [f"qdisc add dev {device} root handle 1: htb"]
        lines.append(f"class add dev {device} parent 1: classid 1:1 htb rate {rate} burst {_burst(rate)}")
        peers = [peer for peer in self.hosts if peer is not host]
        for number, peer in enumerate(peers, start=2):
            share = f"rate {GRANTED_RATE} ceil {rate} burst {LARGEST_PACKET} cburst {_burst(rate)} quantum {LARGEST_PACKET}"
            lines.append(f"class add dev {device} parent 1:1 classid 1:{number:x} htb {share}")
            lines.append(f"filter add dev {device} parent 1: protocol ip prio 1 u32 match ip {side} {peer.address} flowid 1:{number:x}")
        run(*prefix, "tc", "-batch", "-", input="\n".join(lines) + "\n")


def _burst(bits_per_second):
    """Size of a bucket in bytes."""
    return max(2 * LARGEST_PACKET, int(bits_per_second * BURST_MS / 8e3))
