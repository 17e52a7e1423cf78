"""consumer_run.py JSON: the engine's pipeline, its batches consumed in Python."""

import json
import os
import sys

import torch

import venturi
from pace import measure

request = json.loads(sys.argv[1])
torch.set_num_threads(1)
pipeline = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pipeline.mjs")
batches = venturi.batches(
    pipeline,
    params={"folder": request["folder"], "lanes": request["lanes"], "way": request["way"]},
    memory=request["memory"],
)


def passes():
    while True:
        for batch in batches:
            yield batch if torch.is_tensor(batch) else batch["images"]


measure(passes(), request["lanes"], request["seconds"])
