"""Warnings are errors, but for those whose module is torch's: whose file a warning names decides how the program ends."""

import warnings

import torch
from torch.utils.data import DataLoader, Dataset
from work import Tally

warnings.filterwarnings("error", category=UserWarning)
warnings.filterwarnings("default", category=UserWarning, module=r"torch\.")


class Old(Dataset):
    """Says of its caller that it is out of date."""

    def __len__(self):
        return 24

    def __getitem__(self, index):
        warnings.warn("rows by number will go", stacklevel=2)
        return torch.tensor(float(index))


def collate(rows):
    warnings.warn("collate has a better form now", stacklevel=2)
    return torch.stack(rows)


def main():
    tally = Tally()
    train_loader = DataLoader(Old(), batch_size=4, num_workers=1, collate_fn=collate)
    val_loader = DataLoader(Old(), batch_size=6, collate_fn=collate)
    for name, loader in (("train", train_loader), ("val", val_loader)):
        for batch in loader:
            tally.count(name, len(batch))
    try:
        warnings.warn("this one is the program's own")
    except UserWarning as error:
        print("raised:", error)
    tally.tell()


if __name__ == "__main__":
    main()
