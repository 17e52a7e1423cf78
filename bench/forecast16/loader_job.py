"""A training loop whose speed depends on num_workers: `loader_job.py JSON` runs it for some seconds, with torch and the standard library alone.

The last line is JSON: elements per second once all workers deliver, and the share of its time that the consumer waits for a batch.
"""

import functools
import json
import os
import random
import re
import sys
import time
import zlib

import torch
from torch.utils.data import DataLoader

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "wild", "forecast"))
from jobs import Items, asleep, chance, learning  # noqa: E402

#: More than any run gets through.
COUNT = 10_000_000
WARM_SECONDS = 1.5
PREFETCH = 2
HEIGHT, WIDTH = 360, 480
MEAN, STD = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1), torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)


def scenes():
    """Eight pictures without a codec: smooth, and compressed as PNG does it."""
    made = []
    for seed in range(8):
        generator = torch.Generator().manual_seed(seed)
        coarse = torch.rand((1, 3, 12, 16), generator=generator) * 255
        smooth = torch.nn.functional.interpolate(coarse, (HEIGHT, WIDTH), mode="bilinear", align_corners=False)
        made.append(zlib.compress(bytes(smooth.to(torch.uint8).flatten().tolist()), 6))
    return made


def pixels(packed, side, index):
    """Unpacked, scaled, normalised."""
    raw = torch.frombuffer(bytearray(zlib.decompress(packed[index % 8])), dtype=torch.uint8).view(1, 3, HEIGHT, WIDTH)
    scaled = torch.nn.functional.interpolate(raw.float(), (side, side), mode="bilinear", align_corners=False)
    return (scaled[0] / 255 - MEAN) / STD


def tokens(words, index):
    """Python alone: some texts are half as long again as others."""
    source = random.Random(index)
    text = " ".join("w%d" % source.randrange(500) for _ in range(int(words * (0.8 + 0.4 * chance(index)))))
    known = {}
    numbers = [known.setdefault(word, len(known)) for word in re.findall(r"\w+", text)]
    return torch.tensor(numbers[: words // 2])


def waves(rounds, index):
    signal = torch.rand((64, 512), generator=torch.Generator().manual_seed(index))
    for _ in range(rounds + (index % 3)):
        signal = torch.fft.irfft(torch.fft.rfft(signal) * 0.9).abs()
    return signal


def remote(ms, index):
    """A request: half as long to half as long again."""
    time.sleep(ms / 1e3 * (0.5 + chance(index)))
    return torch.full((1024,), float(index))


def stored(ms, rounds, index):
    """Comes from elsewhere, then is unpacked."""
    time.sleep(ms / 1e3 * (0.5 + chance(index)))
    data = zlib.compress(bytes(index % 251 for _ in range(64)) * 2000, 6)
    for _ in range(rounds * 4):
        zlib.decompress(data)
    return torch.full((4096,), float(len(data)))


def maker_of(request):
    job = request["job"]
    if job == "pixels":
        return functools.partial(pixels, scenes(), request["side"])
    if job == "tokens":
        return functools.partial(tokens, request["words"])
    if job == "waves":
        return functools.partial(waves, request["rounds"])
    if job == "remote":
        return functools.partial(remote, request["ms"])
    return functools.partial(stored, request["ms"], request["rounds"])


def main():
    request = json.loads(sys.argv[1])
    workers, seconds = request["workers"], request["seconds"]
    torch.set_num_threads(1)
    step = learning(request["size"]) if request["step"] == "learning" else asleep(request["stepMs"])
    loader = DataLoader(
        Items(COUNT, maker_of(request)),
        batch_size=request["batch"],
        num_workers=workers,
        prefetch_factor=PREFETCH,
        persistent_workers=True,
    )
    # What was made ahead while workers started has been had by then.
    warm_batches = workers * (PREFETCH + 1)
    started = time.perf_counter()
    began, batches, seen, waited = None, 0, 0, 0.0
    asked = started
    for data in loader:
        now = time.perf_counter()
        batches += 1
        if began is not None:
            waited += now - asked
            seen += len(data)
        step(data.float())
        asked = time.perf_counter()
        if began is None:
            if batches >= warm_batches and asked - started >= WARM_SECONDS:
                began = asked
        elif asked - began >= seconds:
            break
    took = asked - began
    print(json.dumps({"elementsPerSecond": seen / took, "waiting": waited / took}), flush=True)


if __name__ == "__main__":
    main()
