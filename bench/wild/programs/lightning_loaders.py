"""https://lightning.ai/docs/pytorch/stable/starter/introduction.html: loaders handed to fit, the sanity check and a test as they come."""

import tempfile

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset, random_split
from work import Tally

tally = Tally()


class AutoEncoder(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Sequential(torch.nn.Linear(28, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
        self.decoder = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.ReLU(), torch.nn.Linear(8, 28))

    def loss_of(self, name, batch):
        (x,) = batch
        tally.count(name, len(x))
        loss = torch.nn.functional.mse_loss(self.decoder(self.encoder(x)), x)
        self.log(f"{name}_loss", loss)
        return loss

    def training_step(self, batch, batch_idx):
        return self.loss_of("train", batch)

    def validation_step(self, batch, batch_idx):
        self.loss_of("val", batch)

    def test_step(self, batch, batch_idx):
        self.loss_of("test", batch)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def main():
    L.seed_everything(7, workers=True)
    rows = TensorDataset(torch.randn(120, 28))
    train_set, valid_set, test_set = random_split(rows, [80, 24, 16])
    train_loader = DataLoader(train_set, batch_size=8, shuffle=True, num_workers=2)
    valid_loader = DataLoader(valid_set, batch_size=8, num_workers=1)
    test_loader = DataLoader(test_set, batch_size=8)
    with tempfile.TemporaryDirectory() as folder:
        trainer = L.Trainer(
            max_epochs=3,
            accelerator="cpu",
            default_root_dir=folder,
            logger=False,
            enable_progress_bar=False,
            enable_model_summary=False,
        )
        model = AutoEncoder()
        trainer.fit(model, train_loader, valid_loader)
        tested = trainer.test(model, test_loader, verbose=False)
    print(tested)
    tally.tell()


if __name__ == "__main__":
    main()
