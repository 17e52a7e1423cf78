"""Segmentation of volumes: a few large arrays, random crops that favour the object, a consumer slower than its loader.

    venturi record -- python3 examples/pytorch/segment.py

Makes its own volumes on first use. Needs torch and numpy.
"""

import argparse
import os
import tempfile

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def make_volumes(folder, count, side=64):
    os.makedirs(folder, exist_ok=True)
    rng = np.random.RandomState(11)
    grid = np.mgrid[:side, :side, :side]
    for index in range(count):
        path = os.path.join(folder, "case_%03d.npz" % index)
        if os.path.exists(path):
            continue
        centre = rng.randint(16, side - 16, (3, 1, 1, 1))
        mask = ((grid - centre) ** 2).sum(0) < rng.randint(6, 14) ** 2
        volume = mask + rng.normal(0, 0.3, mask.shape)
        np.savez_compressed(path, volume=volume.astype(np.float32), mask=mask)


class RandomCrop:
    """Half of the crops hold a part of the object, as in the common U-Net recipes: some take longer to find."""

    def __init__(self, side, generator):
        self.side = side
        self.generator = generator

    def __call__(self, case):
        volume, mask = case
        for _ in range(8):
            corner = [int(torch.randint(size - self.side + 1, (1,), generator=self.generator)) for size in volume.shape]
            window = tuple(slice(start, start + self.side) for start in corner)
            if mask[window].any():
                break
        return volume[window], mask[window]


class GaussianNoise:
    def __call__(self, case):
        volume, mask = case
        return volume + 0.1 * torch.randn(volume.shape).numpy(), mask


class Flip:
    def __call__(self, case):
        axis = int(torch.randint(3, (1,)))
        return tuple(np.flip(part, axis).copy() for part in case)


class Volumes(Dataset):
    def __init__(self, folder, repeats):
        self.files = sorted(os.path.join(folder, name) for name in os.listdir(folder)) * repeats
        self.transforms = [RandomCrop(32, None), Flip(), GaussianNoise()]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        with np.load(self.files[index]) as case:
            parts = case["volume"], case["mask"]
        for transform in self.transforms:
            parts = transform(parts)
        volume, mask = parts
        return torch.from_numpy(volume.astype(np.float32))[None], torch.from_numpy(mask.astype(np.float32))[None]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--volumes", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=6)
    parser.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "venturi-segment"))
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()

    torch.manual_seed(0)
    make_volumes(options.folder, options.volumes)
    volumes = Volumes(options.folder, options.repeats)
    workers = options.workers
    train_loader = DataLoader(volumes, 2, shuffle=True, num_workers=workers, persistent_workers=workers > 0)
    model = nn.Sequential(
        nn.Conv3d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv3d(8, 8, 3, padding=1), nn.ReLU(), nn.Conv3d(8, 1, 1)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        total = 0.0
        for volume, mask in train_loader:
            optimizer.zero_grad()
            loss = nn.functional.binary_cross_entropy_with_logits(model(volume), mask)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print("epoch %d: loss %.4f" % (epoch + 1, total / len(train_loader)))


if __name__ == "__main__":
    main()
