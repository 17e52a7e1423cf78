"""Small training loops whose speed depends on num_workers: `jobs.py JOB WORKERS` runs one and prints its own clock.

The last line is JSON: elements that were consumed, and seconds from before the first pass until after the last.
"""

import io
import json
import random
import sys
import time
import zlib

import torch
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    """What an item takes depends on its index alone, so that every run has the same work."""

    def __init__(self, count, make):
        self.count = count
        self.make = make

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.make(index)


def chance(index):
    return random.Random(index * 7919 + 1).random()


def fetch(index):
    """A request: 2 to 6 ms."""
    time.sleep(0.002 + 0.004 * chance(index))
    return torch.full((256,), float(index))


def uneven(index):
    """Most come at once, some from far away."""
    time.sleep(0.030 if chance(index) < 0.1 else 0.003)
    return torch.full((256,), float(index))


def near(index):
    """Cheap beside its step."""
    time.sleep(0.0005 + 0.001 * chance(index))
    return torch.full((256,), float(index))


def count_words(index):
    """Python alone."""
    source = random.Random(index)
    words = {}
    for _ in range(900 + int(600 * chance(index))):
        word = "w%d" % source.randrange(200)
        words[word] = words.get(word, 0) + 1
    return torch.tensor([float(len(words)), float(max(words.values()))])


_photos = []


def photo(index):
    """A JPEG that is decoded, scaled and made a tensor."""
    import numpy
    from PIL import Image

    if not _photos:
        for seed in range(8):
            pixels = numpy.random.RandomState(seed).randint(0, 255, (12, 16, 3), dtype=numpy.uint8)
            file = io.BytesIO()
            Image.fromarray(pixels).resize((400, 300), Image.BICUBIC).save(file, "JPEG", quality=85)
            _photos.append(file.getvalue())
    image = Image.open(io.BytesIO(_photos[index % 8])).convert("RGB").resize((112, 112), Image.BILINEAR)
    return torch.from_numpy(numpy.asarray(image, dtype=numpy.float32).transpose(2, 0, 1) / 255)


def spectrum(index):
    """Arrays in numpy, and large batches."""
    import numpy

    signal = numpy.random.RandomState(index).rand(96, 256)
    for _ in range(2 if chance(index) < 0.5 else 3):
        signal = numpy.abs(numpy.fft.rfft2(signal, (96, 510)))[:, :256]
    return torch.from_numpy(signal.astype(numpy.float32))


def unpack(index):
    """Comes from elsewhere, then is unpacked."""
    time.sleep(0.002 + 0.002 * chance(index))
    data = zlib.compress(bytes(index % 251 for _ in range(64)) * 3000, 6)
    for _ in range(4):
        zlib.decompress(data)
    return torch.full((1024,), float(len(data)))


def asleep(milliseconds):
    def step(batch):
        time.sleep(milliseconds / 1e3)

    return step


def learning(size):
    """A step of one thread."""
    weights = torch.randn(size, size)

    def step(batch):
        state = weights
        for _ in range(3):
            state = torch.tanh(state @ weights)
        return float(state.sum()) + float(batch.mean())

    return step


#: What makes an item, how many there are, the batch, epochs, workers that stay, what makes the step.
JOBS = {
    "fetch": (fetch, 640, 8, 1, False, lambda: asleep(6)),
    "uneven": (uneven, 400, 8, 2, True, lambda: asleep(12)),
    "near": (near, 640, 8, 1, False, lambda: asleep(20)),
    "words": (count_words, 1600, 16, 1, False, lambda: asleep(5)),
    "photos": (photo, 1200, 16, 1, False, lambda: learning(256)),
    "spectra": (spectrum, 800, 16, 2, True, lambda: learning(192)),
    "unpacked": (unpack, 640, 8, 1, False, lambda: asleep(4)),
}


def main():
    make, count, batch, epochs, stay, step_of = JOBS[sys.argv[1]]
    workers = int(sys.argv[2])
    torch.set_num_threads(1)
    step = step_of()
    loader = DataLoader(
        Items(count, make), batch_size=batch, num_workers=workers, persistent_workers=stay and workers > 0
    )
    began, seen = time.perf_counter(), 0
    for _ in range(epochs):
        for data in loader:
            step(data)
            seen += len(data)
    took = time.perf_counter() - began
    del loader
    print(json.dumps({"elements": seen, "seconds": took}))


if __name__ == "__main__":
    main()
