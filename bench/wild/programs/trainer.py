"""https://huggingface.co/docs/transformers/trainer: loaders are made inside, by options."""

import os
import tempfile
import time

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from transformers import Trainer, TrainingArguments
from transformers.trainer_callback import PrinterCallback, TrainerCallback
from work import BATCH, Plan, Tally

tally = Tally()


class Regression(torch.nn.Module):
    def __init__(self, plan):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(16, 1), plan.device)

    def forward(self, x, labels):
        tally.count("train" if self.training else "val", len(x))
        out = self.layers(x)
        return {"loss": torch.nn.functional.mse_loss(out, labels), "logits": out}


class Clock(TrainerCallback):
    """From where the loop over epochs begins to where it ends, without what is set up before it."""

    def on_train_begin(self, args, state, control, **rest):
        self.began = time.perf_counter()

    def on_train_end(self, args, state, control, **rest):
        tally.of("train")["seconds"] += time.perf_counter() - self.began


def main():
    plan = Plan(names=("x", "labels"))
    model = Regression(plan)
    with tempfile.TemporaryDirectory() as folder:
        training_args = TrainingArguments(
            output_dir=folder,
            num_train_epochs=plan.epochs,
            per_device_train_batch_size=BATCH,
            per_device_eval_batch_size=BATCH,
            dataloader_num_workers=plan.workers,
            save_strategy="no",
            logging_strategy="no",
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
        )
        trainer = Trainer(
            model=model,
            args=training_args,
            train_dataset=plan.train_set,
            eval_dataset=plan.val_set,
            callbacks=[Clock()],
        )
        # It prints how long everything took.
        trainer.remove_callback(PrinterCallback)
        trained = trainer.train()
        for _ in range(plan.epochs):
            with tally.clock("val"):
                found = trainer.evaluate()
    print(f"{trained.global_step} steps, loss {trained.training_loss:.6f}, validation {found['eval_loss']:.6f}")
    tally.tell()


if __name__ == "__main__":
    main()
