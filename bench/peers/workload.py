"""The planted training as loadtune wants it: it makes the loader itself, and calls these for the rest."""

import os
import sys

sys.path.insert(0, os.environ["PLANTED_PROGRAMS"])
# The command line of the program that the workload stands for.
sys.argv[1:] = os.environ["PLANTED_ARGUMENTS"].split()

import torch
from loadtune import Workload
from work import BATCH, Plan

plan = Plan()


def train_step(model, optimizer, batch, device):
    x, y = batch
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss


def get_workload():
    return Workload(
        name="planted",
        make_dataset=lambda: plan.train_set,
        make_model=lambda: torch.nn.Sequential(torch.nn.Linear(16, 1), plan.device),
        train_step=train_step,
        make_optimizer=lambda model: torch.optim.SGD(model.parameters(), lr=1e-3),
        default_batch_size=BATCH,
        collate_fn=plan.collate,
    )
