"""text_peer.py TEXT VOCABULARY VARIANT [LINES | hash]: the text pipeline as a DataLoader with two workers.

The variants are ways to write it; the fastest is the peer. The lines are in memory before the clock starts.
"""

import hashlib
import json
import re
import sys

import numpy
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

from torch_batches import measure

BATCH = 64
path, vocabulary_path, variant = sys.argv[1:4]

with open(vocabulary_path, encoding="utf-8") as file:
    vocabulary = {token: number for number, token in enumerate(json.load(file))}
with open(path, "rb") as file:
    raw = file.read().split(b"\n")[:-1]
if sys.argv[4:] and sys.argv[4] != "hash":
    raw = raw[: int(sys.argv[4])]

# The text has no capitals beyond ASCII, so that all ways to lower it come to the same.
TOKEN = re.compile("[0-9a-z\u0080-\U0010ffff]+|[^ \t-\r]")
BYTE_TOKEN = re.compile(rb"[0-9a-z\x80-\xff]+|[^ \t-\r]")
byte_vocabulary = {token.encode(): number for token, number in vocabulary.items()}


def text_ids(line):
    get = vocabulary.get
    return [get(token, 0) for token in TOKEN.findall(line.lower())]


def byte_ids(line):
    get = byte_vocabulary.get
    return [get(token, 0) for token in BYTE_TOKEN.findall(line.lower())]


ids, lines = (byte_ids, raw) if variant.startswith("bytes") else (text_ids, [line.decode() for line in raw])


class Rows(Dataset):
    """An element is a tensor of ids, as the tutorials have it."""

    def __len__(self):
        return len(lines)

    def __getitem__(self, index):
        return torch.tensor(ids(lines[index]))


class Lines(Rows):
    """An element is a line; the batch is made whole in `together`."""

    def __getitem__(self, index):
        return lines[index]


def padded(rows):
    return pad_sequence(rows, batch_first=True)


def together(batch):
    rows = [ids(line) for line in batch]
    width = max(map(len, rows))
    return torch.tensor([row + [0] * (width - len(row)) for row in rows])


if variant.endswith("rows"):
    loader = DataLoader(Rows(), batch_size=BATCH, num_workers=2, collate_fn=padded)
else:
    loader = DataLoader(Lines(), batch_size=BATCH, num_workers=2, collate_fn=together)

if sys.argv[-1] == "hash":
    digest = hashlib.sha256()
    for batch in loader:
        digest.update(numpy.array(batch.shape, dtype="<i4").tobytes())
        digest.update(batch.numpy().astype("<i4").tobytes())
    print(json.dumps({"hash": digest.hexdigest()}))
else:
    measure(loader, len(lines), BATCH, lambda batch: int(batch.sum()))
