"""https://huggingface.co/docs/accelerate/quicktour: loaders from a function, handed to prepare."""

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from work import BATCH, Plan, Tally


def get_dataloaders(plan):
    train_dataloader = DataLoader(plan.train_set, shuffle=True, batch_size=BATCH, num_workers=plan.workers)
    eval_dataloader = DataLoader(plan.val_set, shuffle=False, batch_size=BATCH, num_workers=plan.workers)
    return train_dataloader, eval_dataloader


def main():
    plan = Plan()
    tally = Tally()
    accelerator = Accelerator(cpu=True)
    model = torch.nn.Sequential(torch.nn.Linear(16, 1), plan.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    train_dataloader, eval_dataloader = get_dataloaders(plan)
    model, optimizer, train_dataloader, eval_dataloader = accelerator.prepare(
        model, optimizer, train_dataloader, eval_dataloader
    )
    loss_fn = torch.nn.MSELoss()
    for epoch in range(plan.epochs):
        model.train()
        with tally.clock("train"):
            for x, y in train_dataloader:
                loss = loss_fn(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
                tally.count("train", len(x))
        model.eval()
        total = 0.0
        with tally.clock("val"), torch.no_grad():
            for x, y in eval_dataloader:
                predictions, references = accelerator.gather_for_metrics((model(x), y))
                total += float((predictions - references).square().sum())
                tally.count("val", len(x))
        accelerator.print(f"epoch {epoch}: loss {loss.item():.6f}, validation {total:.6f}")
    tally.tell()


if __name__ == "__main__":
    main()
