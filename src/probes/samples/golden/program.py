"""Loops over images until it is ended, for other programs to look at meanwhile: `program.py FOLDER`."""

import os
import sys

import torch
from PIL import Image
from torch.utils.data import DataLoader
from torchvision import transforms
from torchvision.datasets import ImageFolder


def pictures(folder):
    os.makedirs(os.path.join(folder, "one"), exist_ok=True)
    for number in range(32):
        noise = Image.effect_noise((320, 240), 60 + number)
        Image.merge("RGB", (noise, noise.rotate(90), noise)).save(os.path.join(folder, "one", "%02d.jpg" % number))


class Brighter:
    """A transform of the author's own."""

    def __call__(self, image):
        return image.point(lambda value: min(255, value + 20))


def main():
    # One thread that works, none that waits for it.
    torch.set_num_threads(1)
    pictures(sys.argv[1])
    steps = [transforms.RandomResizedCrop(224), Brighter(), transforms.RandomHorizontalFlip(), transforms.ToTensor()]
    loader = DataLoader(ImageFolder(sys.argv[1], transforms.Compose(steps)), batch_size=8, shuffle=True)
    print("ready", flush=True)
    while True:
        for images, _ in loader:
            images.mean()


if __name__ == "__main__":
    main()
