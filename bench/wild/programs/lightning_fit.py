"""https://lightning.ai/docs/pytorch/stable/data/datamodule.html: loaders come from hooks of a data module."""

import time
import warnings

import lightning as L
import torch
from torch.utils.data import DataLoader
from work import BATCH, Plan, Tally

# It advises more workers than there are cores, and says so on standard error.
warnings.filterwarnings("ignore", ".*does not have many workers.*")
tally = Tally()


class Data(L.LightningDataModule):
    def __init__(self, plan):
        super().__init__()
        self.plan = plan

    def train_dataloader(self):
        return DataLoader(self.plan.train_set, batch_size=BATCH, shuffle=True, num_workers=self.plan.workers)

    def val_dataloader(self):
        return DataLoader(self.plan.val_set, batch_size=BATCH, num_workers=self.plan.workers)


class Regression(L.LightningModule):
    def __init__(self, plan):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(16, 1), plan.device)

    def training_step(self, batch, batch_idx):
        x, y = batch
        tally.count("train", len(x))
        return torch.nn.functional.mse_loss(self.layers(x), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        tally.count("val", len(x))
        self.log("val_loss", torch.nn.functional.mse_loss(self.layers(x), y))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)


class Clock(L.Callback):
    """From where an epoch's loop begins to where it ends, without the validation inside it.

    Validation begins where the last training batch ended: its workers are started before `on_validation_start`.
    """

    def __init__(self):
        self.began = {}
        self.validated = 0.0

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        self.began["val"] = time.perf_counter()

    def on_validation_end(self, trainer, module):
        took = time.perf_counter() - self.began["val"]
        self.validated += took
        tally.of("val")["seconds"] += took

    def on_train_start(self, trainer, module):
        self.began["train"] = time.perf_counter()
        self.validated = 0.0

    def on_train_end(self, trainer, module):
        tally.of("train")["seconds"] += time.perf_counter() - self.began["train"] - self.validated


def main():
    plan = Plan()
    L.seed_everything(1)
    trainer = L.Trainer(
        max_epochs=plan.epochs,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        num_sanity_val_steps=0,
        callbacks=[Clock()],
    )
    trainer.fit(Regression(plan), datamodule=Data(plan))
    print(f"validation {trainer.callback_metrics['val_loss']:.6f}")
    tally.tell()


if __name__ == "__main__":
    main()
