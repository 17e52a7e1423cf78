"""Trains on JPEGs with two workers; prints one line of JSON. `train.py IMAGES BATCH [torch-profiler FILE]`.

`loopCpu` is the CPU of this process and its workers between the first batch asked for and the end of the last pass,
`allCpu` that of the program from its start. The model is small: what is compared is preparation.
"""

import json
import resource
import sys
import time

import torch
from images import Images
from torch.utils.data import DataLoader


def cpu():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in used)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    count, batch = int(sys.argv[1]), int(sys.argv[2])
    model = torch.nn.Sequential(torch.nn.AvgPool2d(16), torch.nn.Flatten(), torch.nn.Linear(3 * 14 * 14, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    loader = DataLoader(Images(count), batch_size=batch, num_workers=2)

    def train():
        for pixels, index in loader:
            loss = (model(pixels).squeeze(1) - (index % 2).float()).pow(2).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        return loss.item()

    began, before = time.perf_counter(), cpu()
    if sys.argv[3:4] == ["torch-profiler"]:
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CPU]) as profiler:
            loss = train()
        profiler.export_chrome_trace(sys.argv[4])
    else:
        loss = train()
    after = cpu()
    print(json.dumps({"loopCpu": after - before, "allCpu": after, "loopWall": time.perf_counter() - began, "loss": loss}))


if __name__ == "__main__":
    main()
