"""Trains and validates with a DataLoader each, a small program to be recorded: `loaders.py WORKERS`."""

import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import Compose


class Fetch:
    """Waits, as for storage."""

    def __call__(self, value):
        time.sleep(0.01)
        return value


class Smooth:
    """Works."""

    def __call__(self, value):
        for _ in range(20):
            value = torch.nn.functional.avg_pool1d(value, 9, stride=1, padding=4)
        return value


class Noise(Dataset):
    def __init__(self, count, transform):
        self.count = count
        self.transform = transform

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.transform(torch.full((1, 20000), float(index)))


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    train_loader = DataLoader(
        Noise(96, Compose([Fetch(), Smooth()])), batch_size=4, shuffle=True, num_workers=int(sys.argv[1])
    )
    val_loader = DataLoader(Noise(24, Compose([Smooth()])), batch_size=4)
    model = torch.nn.Linear(20000, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-9)
    for _ in range(2):
        for batch in train_loader:
            loss = model(batch).pow(2).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            time.sleep(0.005)
        with torch.no_grad():
            for batch in val_loader:
                model(batch)


if __name__ == "__main__":
    main()
