"""A cluster on one machine: `python test/cluster`.

Reads one request in JSON per line from standard input and answers each with a line of JSON: {"link": BITS_PER_SECOND} measures the bandwidth of the
links, {"train": {...}} trains as the fields of jobs.py's Job say, {"prepare": {...}} starts the processes for that, {"streams": {...}} does so and watches how gRPC sends tensors, {"sender": {...}, "window": BYTES} watches our own
sender, {"hosts": true} lists the hosts, those that cannot be reached and the rates that links grant. Ends with its input. What fails is answered with {"error": ...}."""

import json
import os
import sys
import traceback

import isolation

SERVERS, WORKERS = 2, 8
# Workers sleep for most of their time; what else runs on the machine must not delay their waking up, as it would not on hosts of their own.
NICENESS = -10


def main():
    isolation.enter()
    os.setpriority(os.PRIO_PROCESS, 0, NICENESS)
    from network import Network

    # Lines of the runtimes must not come between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    network = Network(SERVERS, WORKERS, bits_per_second=1e8)
    for line in sys.stdin:
        try:
            answer = _answer(network, json.loads(line))
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _answer(network, request):
    import jobs
    import link

    if "hosts" in request:
        return {"hosts": [host.name for host in network.hosts], "silent": network.silent(), "granted": network.granted()}
    if "streams" in request:
        import streams

        return streams.observe(network, jobs.Job(**request["streams"]))
    if "sender" in request:
        import sender

        return sender.observe(network, jobs.Job(**request["sender"]), request.get("window"))
    if "link" in request:
        return link.measure(network, request["link"])
    if "prepare" in request:
        return jobs.prepare(network, jobs.Job(**request["prepare"]))
    return jobs.perform(network, jobs.Job(**request["train"]))


main()
