"""Folders of small pictures, one per class, as ImageFolder and timm read them."""

import os

import numpy as np
from PIL import Image


def make_folders(root, per_class=24, classes=("cat", "dog"), size=40):
    rng = np.random.RandomState(3)
    for split, count in (("train", per_class), ("validation", per_class // 3)):
        for name in classes:
            folder = os.path.join(root, split, name)
            os.makedirs(folder)
            for index in range(count):
                pixels = rng.randint(0, 255, (size, size, 3), dtype=np.uint8)
                Image.fromarray(pixels).save(os.path.join(folder, f"{index:03}.jpg"), quality=90)
