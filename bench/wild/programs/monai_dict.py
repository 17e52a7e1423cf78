"""https://docs.monai.io: dictionary transforms, a CacheDataset to train on, a plain Dataset to validate, MONAI's own DataLoader."""

import monai
import torch
from monai.data import CacheDataset, DataLoader, Dataset, create_test_image_2d, decollate_batch
from monai.transforms import (
    AsDiscrete,
    Compose,
    EnsureChannelFirstd,
    EnsureTyped,
    RandCropByPosNegLabeld,
    RandRotate90d,
    ScaleIntensityd,
)
from work import Tally


def main():
    monai.utils.set_determinism(seed=0)
    torch.set_num_threads(1)
    tally = Tally()
    pairs = [create_test_image_2d(48, 48, rad_max=12, num_seg_classes=1) for _ in range(18)]
    files = [{"img": image, "seg": label} for image, label in pairs]
    keys = ["img", "seg"]
    fixed = [EnsureChannelFirstd(keys=keys, channel_dim="no_channel"), ScaleIntensityd(keys=keys)]
    crops = RandCropByPosNegLabeld(
        keys=keys, label_key="seg", spatial_size=[32, 32], pos=1, neg=1, num_samples=2, allow_smaller=False
    )
    train_transforms = Compose([*fixed, crops, RandRotate90d(keys=keys, prob=0.5), EnsureTyped(keys=keys)])
    val_transforms = Compose([*fixed, EnsureTyped(keys=keys)])
    train_ds = CacheDataset(data=files[:12], transform=train_transforms, cache_rate=1.0, progress=False)
    val_ds = Dataset(data=files[12:], transform=val_transforms)
    train_loader = DataLoader(train_ds, batch_size=2, shuffle=True, num_workers=2)
    val_loader = DataLoader(val_ds, batch_size=1, num_workers=2)
    model = monai.networks.nets.UNet(
        spatial_dims=2, in_channels=1, out_channels=1, channels=(4, 8, 16), strides=(2, 2)
    )
    loss_function = monai.losses.DiceLoss(sigmoid=True)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    post = AsDiscrete(threshold=0.5)
    for epoch in range(2):
        model.train()
        total = 0.0
        for batch in train_loader:
            # Two crops of each of two images.
            tally.count("train", 2)
            loss = loss_function(model(batch["img"]), batch["seg"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        model.eval()
        marked = 0
        with torch.no_grad():
            for batch in val_loader:
                tally.count("val", len(batch["img"]))
                marked += sum(int(post(mask).sum()) for mask in decollate_batch(model(batch["img"])))
        print(f"epoch {epoch}: loss {total:.5f}, marked {marked}")
    tally.tell()


if __name__ == "__main__":
    main()
