"""https://huggingface.co/docs/timm/training_script: datasets, loaders and a model from timm's factories."""

import tempfile

import timm
import torch
from pictures import make_folders
from timm.data import Mixup, create_dataset, create_loader
from timm.loss import SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from work import Tally


def main():
    timm.utils.random_seed(42)
    torch.set_num_threads(1)
    tally = Tally()
    with tempfile.TemporaryDirectory() as data_dir:
        make_folders(data_dir)
        dataset_train = create_dataset("", root=data_dir, split="train", is_training=True, batch_size=8)
        dataset_eval = create_dataset("", root=data_dir, split="validation", is_training=False, batch_size=8)
        mixup_fn = Mixup(mixup_alpha=0.2, cutmix_alpha=1.0, num_classes=2)
        loaders = {"num_workers": 2, "use_prefetcher": False, "device": torch.device("cpu")}
        loader_train = create_loader(
            dataset_train, input_size=(3, 32, 32), batch_size=8, is_training=True, auto_augment="rand-m5-n2", **loaders
        )
        loader_eval = create_loader(dataset_eval, input_size=(3, 32, 32), batch_size=8, **loaders)
        model = timm.create_model("test_resnet.r160_in1k", num_classes=2)
        optimizer = create_optimizer_v2(model, opt="adamw", lr=1e-3)
        train_loss_fn = SoftTargetCrossEntropy()
        for epoch in range(2):
            model.train()
            losses = timm.utils.AverageMeter()
            for input, target in loader_train:
                tally.count("train", input.size(0))
                input, target = mixup_fn(input, target)
                loss = train_loss_fn(model(input), target)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.update(loss.item(), input.size(0))
            model.eval()
            right = 0
            with torch.inference_mode():
                for input, target in loader_eval:
                    tally.count("val", input.size(0))
                    right += int((model(input).argmax(1) == target).sum())
            print(f"epoch {epoch}: loss {losses.avg:.6f}, right {right}")
    tally.tell()


if __name__ == "__main__":
    main()
