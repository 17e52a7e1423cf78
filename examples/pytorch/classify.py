"""Image classification as its tutorials show it: files in folders, random crops, a small network.

    venturi record -- python3 examples/pytorch/classify.py

Makes its own images on first use. Needs torch and torchvision.
"""

import argparse
import os
import tempfile
import time

import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader
from torchvision import transforms
from torchvision.datasets import ImageFolder


def make_images(folder, count, side=320):
    """JPEGs in two classes, bright spots on dark and dark on bright; with grain, so that decoding them is real work."""
    rng = np.random.RandomState(7)
    y, x = np.mgrid[:side, :side]
    for index in range(count):
        kind = index % 2
        path = os.path.join(folder, "bright" if kind else "dark", "%05d.jpg" % index)
        if os.path.exists(path):
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        spot = np.exp(-((x - rng.randint(side)) ** 2 + (y - rng.randint(side)) ** 2) / (2 * 40.0**2))
        level = spot if kind else 1 - spot
        pixels = level[..., None] * rng.randint(120, 255, 3) + rng.normal(0, 24, (side, side, 3))
        Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(path, quality=90)


def network():
    return nn.Sequential(
        nn.Conv2d(3, 8, 5, stride=4), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2), nn.ReLU(),
        nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(256, 2),
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--images", type=int, default=320)
    parser.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "venturi-classify"))
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--workers", type=int, default=0)
    options = parser.parse_args()

    torch.manual_seed(0)
    make_images(options.folder, options.images)
    augment = transforms.Compose([
        transforms.RandomResizedCrop(160),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ])
    images = ImageFolder(options.folder, augment)
    train_loader = DataLoader(images, batch_size=options.batch, shuffle=True, num_workers=options.workers)

    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(options.epochs):
        began, seen, total = time.perf_counter(), 0, 0.0
        for pixels, labels in train_loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(pixels), labels)
            loss.backward()
            optimizer.step()
            seen += len(labels)
            total += loss.item() * len(labels)
        rate = seen / (time.perf_counter() - began)
        print("epoch %d: loss %.4f, %.1f images/s" % (epoch + 1, total / seen, rate))


if __name__ == "__main__":
    main()
