"""images_peer.py FOLDER EPOCHS VARIANT [compare FILE]: the image pipeline as a DataLoader with two workers.

The variants are ways to write it; the fastest is the peer. With compare, one pass with the parts and mirrors that images.mjs
takes for the same files, by Pillow, goes to FILE as floats.
"""

import os
import sys

import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import io, transforms
from torchvision.transforms import functional

from torch_batches import measure

BATCH, SIDE = 64, 224
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)

folder, epochs, variant = sys.argv[1], int(sys.argv[2]), sys.argv[3]
paths = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".jpg"))

AUGMENT = [transforms.RandomCrop(SIDE), transforms.RandomHorizontalFlip()]
by_pillow = transforms.Compose(
    [transforms.Resize(SIDE), *AUGMENT, transforms.ToTensor(), transforms.Normalize(MEAN, STD)]
)
by_tensor = transforms.Compose(
    [
        transforms.Resize(SIDE, antialias=True),
        *AUGMENT,
        transforms.ConvertImageDtype(torch.float32),
        transforms.Normalize(MEAN, STD),
    ]
)


class Images(Dataset):
    def __len__(self):
        return len(paths) * epochs

    def __getitem__(self, index):
        path = paths[index % len(paths)]
        if variant == "tensor":
            return by_tensor(io.read_image(path, io.ImageReadMode.RGB))
        with Image.open(path) as image:
            return by_pillow(image.convert("RGB"))


class FixedImages(Dataset):
    def __len__(self):
        return len(paths)

    def __getitem__(self, index):
        number = int(os.path.basename(paths[index])[:-4].rsplit("-", 1)[1])
        with Image.open(paths[index]) as image:
            image = functional.resize(image.convert("RGB"), SIDE)
        width, height = image.size
        left, top = number * 7919 % (width - SIDE + 1), number * 7919 % (height - SIDE + 1)
        image = functional.crop(image, top, left, SIDE, SIDE)
        if number % 2 == 1:
            image = functional.hflip(image)
        return functional.normalize(functional.to_tensor(image), MEAN, STD)


if sys.argv[4:5] == ["compare"]:
    with open(sys.argv[5], "wb") as file:
        for batch in DataLoader(FixedImages(), batch_size=BATCH, num_workers=2):
            file.write(batch.numpy().tobytes())
else:
    loader = DataLoader(Images(), batch_size=BATCH, num_workers=2)
    measure(loader, len(paths) * epochs, BATCH, lambda batch: float(batch[0, 0, 0, 0] + batch[-1, -1, -1, -1]))
