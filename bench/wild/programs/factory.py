"""Both loaders come from one line, as in most repositories with more than one script."""

import torch
from torch.utils.data import DataLoader
from work import BATCH, Plan, Tally


def build(ds, bs, **kw):
    return DataLoader(ds, batch_size=bs, **kw)


def evaluate(model, loader, loss_fn, tally):
    losses = []
    model.eval()
    with tally.clock("val"), torch.no_grad():
        for x, y in loader:
            losses.append(loss_fn(model(x), y).item())
            tally.count("val", len(x))
    return sum(losses) / len(losses)


def main():
    plan = Plan()
    tally = Tally()
    train_loader = build(plan.train_set, BATCH, num_workers=plan.workers, collate_fn=plan.collate, worker_init_fn=plan.opening, multiprocessing_context=plan.context)
    val_loader = build(plan.val_set, BATCH, num_workers=plan.workers)
    model = torch.nn.Sequential(torch.nn.Linear(16, 1), plan.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss_fn = torch.nn.MSELoss()
    for epoch in range(plan.epochs):
        model.train()
        with tally.clock("train"):
            for x, y in train_loader:
                optimizer.zero_grad()
                loss = loss_fn(model(x), y)
                loss.backward()
                optimizer.step()
                tally.count("train", len(x))
        print(f"epoch {epoch}: loss {loss.item():.6f}, validation {evaluate(model, val_loader, loss_fn, tally):.6f}")
    tally.tell()


if __name__ == "__main__":
    main()
