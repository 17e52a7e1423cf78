"""timm.data.create_loader makes both loaders, on one line of its own."""

import numpy as np
import torch
from PIL import Image
from timm.data import create_loader
from work import BATCH, Plan, Tally


class Pictures(torch.utils.data.Dataset):
    """Small pictures of given rows. timm hands the transform to whoever has the attribute."""

    def __init__(self, records):
        self.records = records
        self.transform = None

    def __len__(self):
        return len(self.records)

    def __getitem__(self, index):
        x, y = self.records[index]
        pixels = np.resize((x.numpy() * 40 + 128).clip(0, 255).astype(np.uint8), (32, 32, 3))
        image = Image.fromarray(pixels)
        return (image if self.transform is None else self.transform(image)), int(y > 0)


def main():
    plan = Plan()
    tally = Tally()
    device = torch.device("cpu")
    train_set, val_set = Pictures(plan.train_set), Pictures(plan.val_set)
    loader_train = create_loader(
        train_set,
        input_size=(3, 32, 32),
        batch_size=BATCH,
        is_training=True,
        use_prefetcher=False,
        num_workers=plan.workers,
        device=device,
    )
    loader_eval = create_loader(
        val_set,
        input_size=(3, 32, 32),
        batch_size=BATCH,
        use_prefetcher=False,
        num_workers=plan.workers,
        device=device,
    )
    model = torch.nn.Sequential(torch.nn.AvgPool2d(8), torch.nn.Flatten(), torch.nn.Linear(48, 2), plan.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    loss_fn = torch.nn.CrossEntropyLoss()
    for epoch in range(plan.epochs):
        model.train()
        with tally.clock("train"):
            for input, target in loader_train:
                loss = loss_fn(model(input), target)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                tally.count("train", len(input))
        model.eval()
        with tally.clock("val"), torch.no_grad():
            right = 0
            for input, target in loader_eval:
                right += int((model(input).argmax(1) == target).sum())
                tally.count("val", len(input))
        print(f"epoch {epoch}: loss {loss.item():.6f}, right {right}")
    tally.tell()


if __name__ == "__main__":
    main()
