"""Records a job at some numbers of workers and measures it, without the probe, at many: `measure.py OUT [options]`.

Needs torch and torchvision and nothing else: where there is no Node, bring OUT (recordings and `measured.json`) to where
there is one, and let `npm run -s bench -- loader --compare OUT` compare.
"""

import argparse
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EXAMPLE = os.path.join(ROOT, "examples", "pytorch", "scale.py")
PROBE = os.environ.get("VENTURI_PROBE") or os.path.join(ROOT, "python")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--record", default="2", help="workers of the recordings: 0,1,2")
    parser.add_argument("--workers", default="1,2,4,8,12,16")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=6, help="of each measurement")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    with open(os.path.join(options.out, "measured.json"), "w") as file:
        json.dump(measure(options), file, indent=2)


def counts(text):
    return [int(word) for word in text.split(",")]


def record(options, workers):
    """In a process of its own, as a user would."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, [PROBE, os.environ.get("PYTHONPATH")])))
    command = [sys.executable, "-m", "venturi_probe", "--out", os.path.join(options.out, "workers-%d" % workers), EXAMPLE]
    command += ["--workers", workers, "--batch", options.batch, "--latency", options.latency]
    command += ["--images", 1000000, "--seconds", 2.5 * options.seconds]
    subprocess.run([str(word) for word in command], check=True, env=environment, stdout=sys.stderr)


def measure(options):
    """All numbers of workers in turn, several times, so that what else the machine does meets them all.

    Recordings are made in the middle of it: a shared machine is faster at one hour than at another.
    """
    sys.path.insert(0, os.path.dirname(EXAMPLE))
    import scale
    import torch
    from torch.utils.data import DataLoader

    training = scale.Training()
    images = scale.Images(1000000, options.latency / 1e3)
    tried = counts(options.workers)
    rounds = []
    for number in range(options.rounds + 1):
        for workers in tried if number % 2 else reversed(tried):
            # The first round warms up: kernels are chosen, files read, memory mapped.
            if number == 0 and workers != tried[0]:
                continue
            loader = DataLoader(images, batch_size=options.batch, shuffle=True, num_workers=workers)
            result = one(loader, training, workers, options.seconds)
            if number > 0:
                rounds.append(dict(result, workers=workers, round=number))
                sys.stderr.write("%d workers: %.1f images/s\n" % (workers, result["rate"]))
        if number == (options.rounds + 1) // 2:
            for workers in counts(options.record):
                record(options, workers)
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        "cores": affinity,
        "recorded": counts(options.record),
        "batch": options.batch,
        "rounds": rounds,
    }


def one(loader, training, workers, seconds):
    """Images per second once every worker has delivered."""
    began = seen = batches = 0
    cpu = 0.0
    for number, (pixels, labels) in enumerate(loader):
        if number == workers:
            began, cpu = time.perf_counter(), busy()
        training.step(pixels, labels)
        if number >= workers:
            seen += len(labels)
            batches += 1
            if time.perf_counter() - began > seconds:
                break
    took = time.perf_counter() - began
    return {"rate": seen / took, "batches": batches, "seconds": took, "coresBusy": (busy() - cpu) / took}


def busy():
    """CPU seconds of the whole machine; 0 where it does not say."""
    try:
        with open("/proc/stat") as file:
            fields = [int(word) for word in file.readline().split()[1:]]
        return (sum(fields[:3]) + sum(fields[5:8])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0


if __name__ == "__main__":
    main()
