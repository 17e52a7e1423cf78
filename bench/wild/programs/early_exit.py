"""Takes a few batches of a loader whose workers are spawned and stay, draws at random, and leaves with a code of its own."""

import random
import sys

import torch
from torch.utils.data import DataLoader
from work import Records, Tally


def main():
    torch.manual_seed(2)
    random.seed(2)
    tally = Tally()
    train_loader = DataLoader(
        Records(64, 0.001), batch_size=4, shuffle=True, num_workers=2, persistent_workers=True, multiprocessing_context="spawn"
    )
    for epoch in range(2):
        for step, (x, _) in enumerate(train_loader):
            tally.count("train", len(x))
            print(f"{epoch} {step}: {float(x.sum()):.6f}, {random.random():.6f}, {float(torch.rand(1)):.6f}")
            if step == 5:
                break
    tally.tell()
    sys.stderr.write("target reached\n")
    sys.exit(3)


if __name__ == "__main__":
    main()
