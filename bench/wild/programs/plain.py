"""Two loaders on two lines, and the loop of PyTorch's tutorials."""

import torch
from torch.utils.data import DataLoader
from work import BATCH, Plan, Tally


def main():
    plan = Plan()
    tally = Tally()
    train_loader = DataLoader(
        plan.train_set,
        batch_size=BATCH,
        num_workers=plan.workers,
        collate_fn=plan.collate,
        worker_init_fn=plan.opening,
        multiprocessing_context=plan.context,
    )
    val_loader = DataLoader(plan.val_set, batch_size=BATCH, num_workers=plan.workers)
    model = torch.nn.Sequential(torch.nn.Linear(16, 1), plan.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    loss_fn = torch.nn.MSELoss()
    for epoch in range(plan.epochs):
        model.train()
        with tally.clock("train"):
            for x, y in train_loader:
                loss = loss_fn(model(x), y)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                tally.count("train", len(x))
        model.eval()
        with tally.clock("val"), torch.no_grad():
            losses = []
            for x, y in val_loader:
                losses.append(loss_fn(model(x), y).item())
                tally.count("val", len(x))
        print(f"epoch {epoch}: loss {loss.item():.6f}, validation {sum(losses) / len(losses):.6f}")
    tally.tell()


if __name__ == "__main__":
    main()
