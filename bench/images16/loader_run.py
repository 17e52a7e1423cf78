"""loader_run.py JSON: torch's DataLoader on the same work, with as many workers as the engine has lanes."""

import json
import multiprocessing
import os
import random
import sys

import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from pace import BATCH, measure

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
RESIZED, SIDE = 256, 224


def by_torchvision():
    from torchvision import transforms

    return transforms.Compose(
        [
            transforms.Resize((RESIZED, RESIZED)),
            transforms.RandomCrop(SIDE),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize(MEAN, STD),
        ]
    )


def by_hand():
    """The same without torchvision."""
    mean, std = torch.tensor(MEAN).view(3, 1, 1), torch.tensor(STD).view(3, 1, 1)

    def transform(image):
        image = image.resize((RESIZED, RESIZED), Image.BILINEAR)
        x, y = random.randint(0, RESIZED - SIDE), random.randint(0, RESIZED - SIDE)
        image = image.crop((x, y, x + SIDE, y + SIDE))
        if random.random() < 0.5:
            image = image.transpose(Image.FLIP_LEFT_RIGHT)
        pixels = torch.frombuffer(bytearray(image.tobytes()), dtype=torch.uint8).view(SIDE, SIDE, 3)
        return pixels.permute(2, 0, 1).contiguous().to(torch.float32).div(255).sub_(mean).div_(std)

    return transform


class Images(Dataset):
    def __init__(self, folder, transform):
        self.transform = transform
        self.files = sorted(
            os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(".jpg")
        )

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        path = self.files[index]
        with Image.open(path) as image:
            return self.transform(image.convert("RGB")), int(os.path.basename(os.path.dirname(path)))


def passes(loader):
    while True:
        for images, _ in loader:
            yield images


if __name__ == "__main__":
    request = json.loads(sys.argv[1])
    torch.set_num_threads(1)
    try:
        transform = by_torchvision()
    except ImportError:
        transform = by_hand()
    dataset = Images(request["folder"], transform)
    loader = DataLoader(
        dataset,
        BATCH,
        shuffle=True,
        num_workers=request["lanes"],
        drop_last=True,
        persistent_workers=True,
        prefetch_factor=4,
    )
    measure(passes(loader), request["lanes"], request["seconds"])
    # Workers that still load would run on beside whoever is measured next.
    for worker in multiprocessing.active_children():
        worker.kill()
    os._exit(0)
