"""What the benches of the probe prepare: pictures of about the size of ImageNet's."""

import io

import numpy as np
from PIL import Image
from torch.utils.data import Dataset
from torchvision import transforms


class Images(Dataset):
    """JPEGs of about the size of ImageNet's, kept in memory: what is measured is preparation, not the disk."""

    def __init__(self, count):
        rng = np.random.RandomState(1)
        y, x = np.mgrid[:375, :500]
        self.files = []
        for index in range(8):
            wave = np.sin(x / (5.0 + index)) * np.cos(y / (7.0 + index))
            pixels = 128 + 90 * wave[..., None] + rng.normal(0, 14, (375, 500, 3))
            file = io.BytesIO()
            Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(file, "JPEG", quality=90)
            self.files.append(file.getvalue())
        self.count = count
        self.transform = transforms.Compose([
            transforms.RandomResizedCrop(224),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
        ])

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        image = Image.open(io.BytesIO(self.files[index % len(self.files)])).convert("RGB")
        return self.transform(image), index
