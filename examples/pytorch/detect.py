"""Object detection: images of different sizes with boxes, transforms on both, a collation of its own, two loaders.

    venturi record -- python3 examples/pytorch/detect.py

Makes its own images on first use. Needs torch, numpy and Pillow.
"""

import argparse
import os
import tempfile

import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset


def make_images(folder, count):
    os.makedirs(folder, exist_ok=True)
    rng = np.random.RandomState(5)
    for index in range(count):
        path = os.path.join(folder, "%04d.png" % index)
        height, width = rng.randint(120, 280, 2)
        box = np.array([rng.randint(0, width // 2), rng.randint(0, height // 2), 0, 0])
        box[2:] = box[:2] + rng.randint(20, 60, 2)
        if os.path.exists(path):
            continue
        pixels = rng.randint(0, 90, (height, width, 3)).astype(np.uint8)
        pixels[box[1] : box[3], box[0] : box[2]] = rng.randint(150, 255, 3)
        Image.fromarray(pixels).save(path)
        np.save(path.replace(".png", ".npy"), box)


class Flip:
    def __call__(self, image, box):
        if torch.rand(1) < 0.5:
            image = image.transpose(Image.FLIP_LEFT_RIGHT)
            box = torch.stack([image.width - box[2], box[1], image.width - box[0], box[3]])
        return image, box


class Resize:
    def __init__(self, side):
        self.side = side

    def __call__(self, image, box):
        scale = torch.tensor([self.side / image.width, self.side / image.height] * 2)
        return image.resize((self.side, self.side), Image.BILINEAR), box * scale


class Boxes(Dataset):
    def __init__(self, folder):
        self.files = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".png"))
        self.transforms = [Flip(), Resize(96)]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        path = self.files[index]
        image = Image.open(path).convert("RGB")
        box = torch.from_numpy(np.load(path.replace(".png", ".npy"))).float()
        for transform in self.transforms:
            image, box = transform(image, box)
        return torch.from_numpy(np.asarray(image).copy()).permute(2, 0, 1).float() / 255, box / 96


def collate(batch):
    images, boxes = zip(*batch)
    return torch.stack(images), torch.stack(boxes)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--images", type=int, default=120)
    parser.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "venturi-detect"))
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()

    torch.manual_seed(0)
    make_images(options.folder, options.images)
    boxes = Boxes(options.folder)
    cut = len(boxes) * 3 // 4
    train, test = Subset(boxes, range(cut)), Subset(boxes, range(cut, len(boxes)))
    train_loader = DataLoader(train, 8, shuffle=True, num_workers=options.workers, collate_fn=collate)
    test_loader = DataLoader(test, 8, collate_fn=collate)
    model = nn.Sequential(nn.Conv2d(3, 16, 5, 4), nn.ReLU(), nn.AdaptiveAvgPool2d(6), nn.Flatten(), nn.Linear(576, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        for images, wanted in train_loader:
            optimizer.zero_grad()
            nn.functional.smooth_l1_loss(model(images), wanted).backward()
            optimizer.step()
        with torch.no_grad():
            errors = [nn.functional.l1_loss(model(images), wanted).item() for images, wanted in test_loader]
        print("epoch %d: error %.4f" % (epoch + 1, sum(errors) / len(errors)))


if __name__ == "__main__":
    main()
