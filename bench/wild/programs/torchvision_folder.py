"""https://docs.pytorch.org/tutorials/beginner/transfer_learning_tutorial.html, with transforms v2: loaders in a dict."""

import os
import tempfile

import torch
from pictures import make_folders
from torchvision import datasets
from torchvision.transforms import v2
from work import Tally


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    tally = Tally()
    with tempfile.TemporaryDirectory() as data_dir:
        make_folders(data_dir)
        common = [v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.25] * 3)]
        data_transforms = {
            "train": v2.Compose([v2.RandomResizedCrop(32), v2.RandomHorizontalFlip(), *common]),
            "validation": v2.Compose([v2.Resize(36), v2.CenterCrop(32), *common]),
        }
        image_datasets = {x: datasets.ImageFolder(os.path.join(data_dir, x), data_transforms[x]) for x in data_transforms}
        dataloaders = {
            x: torch.utils.data.DataLoader(image_datasets[x], batch_size=4, shuffle=True, num_workers=2)
            for x in data_transforms
        }
        model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3, stride=4), torch.nn.Flatten(), torch.nn.LazyLinear(2))
        criterion = torch.nn.CrossEntropyLoss()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
        for epoch in range(2):
            for phase in ("train", "validation"):
                model.train(phase == "train")
                running_loss = 0.0
                for inputs, labels in dataloaders[phase]:
                    with torch.set_grad_enabled(phase == "train"):
                        loss = criterion(model(inputs), labels)
                        if phase == "train":
                            optimizer.zero_grad()
                            loss.backward()
                            optimizer.step()
                    running_loss += loss.item() * inputs.size(0)
                    tally.count("train" if phase == "train" else "val", inputs.size(0))
                print(f"{phase} {epoch}: {running_loss / len(image_datasets[phase]):.6f}")
    tally.tell()


if __name__ == "__main__":
    main()
