"""Image classification whose preparation outweighs its steps: how fast it is depends on num_workers.

    venturi record -- python3 examples/pytorch/scale.py --workers 2
    venturi predict scale

Images are made in memory, so that storage has no part in it. Trains on a GPU where there is one. Needs torch and
torchvision.
"""

import argparse
import io
import time

import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import models, transforms


class Images(Dataset):
    """JPEGs of about the size of ImageNet's, a few of them over and over."""

    def __init__(self, count, latency=0.0):
        rng = np.random.RandomState(1)
        y, x = np.mgrid[:375, :500]
        self.files = []
        for index in range(16):
            wave = np.sin(x / (5.0 + index)) * np.cos(y / (7.0 + index))
            pixels = 128 + 90 * wave[..., None] + rng.normal(0, 14, (375, 500, 3))
            file = io.BytesIO()
            Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(file, "JPEG", quality=90)
            self.files.append(file.getvalue())
        self.count = count
        self.latency = latency
        self.transform = transforms.Compose([
            transforms.RandomResizedCrop(224),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
        ])

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.latency:
            time.sleep(self.latency)
        image = Image.open(io.BytesIO(self.files[index % len(self.files)])).convert("RGB")
        return self.transform(image), index % 2


def network(device):
    if device.type == "cuda":
        return models.resnet18(num_classes=2).to(device)
    return nn.Sequential(nn.Conv2d(3, 8, 7, stride=8), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(128, 2))


class Training:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = network(self.device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)

    def step(self, pixels, labels):
        pixels, labels = pixels.to(self.device, non_blocking=True), labels.to(self.device, non_blocking=True)
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(pixels), labels)
        loss.backward()
        self.optimizer.step()
        # Waits for the device, so that a step ends when its work does.
        return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--images", type=int, default=3200)
    parser.add_argument("--seconds", type=float, default=0, help="stop after this long; 0: after one epoch")
    parser.add_argument("--latency", type=float, default=0, help="milliseconds that storage takes for an image")
    options = parser.parse_args()

    torch.manual_seed(0)
    training = Training()
    images = Images(options.images, options.latency / 1e3)
    loader = DataLoader(images, batch_size=options.batch, shuffle=True, num_workers=options.workers)
    began, seen = time.perf_counter(), 0
    for pixels, labels in loader:
        training.step(pixels, labels)
        seen += len(labels)
        if options.seconds and time.perf_counter() - began > options.seconds:
            break
    print("%.1f images/s on %s" % (seen / (time.perf_counter() - began), training.device))


if __name__ == "__main__":
    main()
