"""A worker meets a broken file in the second epoch; the program ends in its traceback."""

import torch
from torch.utils.data import DataLoader, Dataset
from work import Tally


class Files(Dataset):
    def __init__(self):
        self.broken = -1

    def __len__(self):
        return 20

    def __getitem__(self, index):
        if index == self.broken:
            raise OSError(f"image file {index} is truncated")
        return torch.tensor(float(index))


def main():
    tally = Tally()
    files = Files()
    # With two workers the line of torch in the traceback depends on which was first: a batch may have come out of order.
    train_loader = DataLoader(files, batch_size=4, num_workers=1)
    for epoch in range(2):
        files.broken = 13 if epoch == 1 else -1
        total = 0.0
        try:
            for batch in train_loader:
                tally.count("train", len(batch))
                total += float(batch.sum())
        finally:
            if epoch == 1:
                tally.tell()
        print(f"epoch {epoch}: {total}")


if __name__ == "__main__":
    main()
