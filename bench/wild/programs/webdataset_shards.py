"""https://github.com/webdataset/webdataset: shards, batches made inside the pipeline, a WebLoader around it."""

import io
import os
import tempfile

import numpy as np
import torch
import webdataset as wds
from PIL import Image
from work import Tally


def write_shards(folder, split, shards, per_shard):
    rng = np.random.RandomState(len(split))
    for shard in range(shards):
        with wds.TarWriter(os.path.join(folder, f"{split}-{shard:06}.tar")) as sink:
            for index in range(per_shard):
                png = io.BytesIO()
                Image.fromarray(rng.randint(0, 255, (32, 32, 3), dtype=np.uint8)).save(png, "PNG")
                sink.write({"__key__": f"{shard:03}{index:04}", "png": png.getvalue(), "cls": index % 2})
    return os.path.join(folder, split + "-{000000..%06d}.tar" % (shards - 1))


def augment(image):
    return torch.from_numpy(image.copy()).permute(2, 0, 1)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        train_urls = write_shards(folder, "train", 4, 16)
        val_urls = write_shards(folder, "val", 2, 12)
        train_set = (
            wds.WebDataset(train_urls, shardshuffle=False)
            .decode("rgb")
            .to_tuple("png", "cls")
            .map_tuple(augment, int)
            .batched(8)
        )
        val_set = wds.WebDataset(val_urls, shardshuffle=False).decode("rgb").to_tuple("png", "cls").map_tuple(augment, int)
        train_loader = wds.WebLoader(train_set, batch_size=None, num_workers=2)
        val_loader = wds.WebLoader(val_set, batch_size=6, num_workers=2)
        model = torch.nn.Sequential(torch.nn.AvgPool2d(8), torch.nn.Flatten(), torch.nn.Linear(48, 2))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for epoch in range(2):
            for images, labels in train_loader:
                tally.count("train", len(labels))
                loss = torch.nn.functional.cross_entropy(model(images), torch.as_tensor(labels))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            right = 0
            for images, labels in val_loader:
                tally.count("val", len(labels))
                right += int((model(images).argmax(1) == labels).sum())
            print(f"epoch {epoch}: loss {loss.item():.6f}, right {right}")
    tally.tell()


if __name__ == "__main__":
    main()
