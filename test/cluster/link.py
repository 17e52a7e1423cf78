"""Bandwidth of the links, measured by iperf3 in both directions between the first server and the first worker."""

import json
import subprocess
import time

from commands import run

# A token bucket lets through as much in one second as in many, and what disturbs it is over in most of the tries.
SECONDS = 1


def measure(network, bits_per_second):
    """Payload in bit/s that one TCP connection carries, to the server and from it."""
    network.shape(bits_per_second)
    server, worker = network.servers[0], network.workers[0]
    listening = subprocess.Popen(server.command("iperf3", "--server"), stdout=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        return {
            "bits_per_second": bits_per_second,
            "to_server": _payload(worker.command("iperf3", "--client", server.address, "--time", SECONDS, "--json")),
            "from_server": _payload(worker.command("iperf3", "--client", server.address, "--time", SECONDS, "--json", "--reverse")),
        }
    finally:
        listening.kill()
        listening.wait()


def _payload(command):
    return json.loads(run(*command))["end"]["sum_received"]["bits_per_second"]
