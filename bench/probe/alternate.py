"""Elements that are compressed and hashed in turn, in stretches of 4 µs to 1 ms: native code whose operator is known."""

import hashlib
import os
import random
import sys
import zlib

from torch.utils.data import DataLoader, Dataset
from torchvision import transforms

TURNS = 4


class Compress:
    def __call__(self, data):
        zlib.compress(data[: random.randrange(16, 40_000)])
        return data


class Digest:
    def __call__(self, data):
        hashlib.sha256(data[: random.randrange(16, 200_000)]).digest()
        return data


class Buffers(Dataset):
    def __init__(self, count):
        self.count = count
        self.data = os.urandom(100_000) + bytes(range(256)) * 400
        self.transform = transforms.Compose([kind() for _ in range(TURNS) for kind in (Compress, Digest)])

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        self.transform(self.data)
        return index


if __name__ == "__main__":
    random.seed(1)
    # Four batches to a worker: as many as are timed whatever that costs.
    loader = DataLoader(Buffers(1024), batch_size=128, num_workers=2)
    for _ in range(int(sys.argv[1])):
        for _ in loader:
            pass
