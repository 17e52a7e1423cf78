"""Text: a stream of sentences, tokenised on the fly, in padded batches; elements so cheap that few of them are timed.

    venturi record -- python3 examples/pytorch/text.py

Needs torch alone.
"""

import argparse

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

WORDS = "the a pipe valve narrow wide flow stops runs fast slow water air through into out of one two pumps".split()
NUMBERS = {word: number + 1 for number, word in enumerate(WORDS)}


class Sentences(IterableDataset):
    """Every worker makes its own part."""

    def __init__(self, count):
        self.count = count

    def __iter__(self):
        worker = get_worker_info()
        first, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
        for index in range(first, self.count, step):
            length = 4 + index * 7 % 13
            yield " ".join(WORDS[(index * 31 + place * place) % len(WORDS)] for place in range(length))


def collate(sentences):
    tokens = [torch.tensor([NUMBERS[word] for word in sentence.split()]) for sentence in sentences]
    return pad_sequence(tokens, batch_first=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sentences", type=int, default=20000)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()

    torch.manual_seed(0)
    sentences = DataLoader(Sentences(options.sentences), batch_size=64, num_workers=options.workers, collate_fn=collate)
    embedding = nn.Embedding(len(WORDS) + 1, 16)
    head = nn.Linear(16, len(WORDS) + 1)
    optimizer = torch.optim.Adam([*embedding.parameters(), *head.parameters()], lr=1e-2)
    total = 0.0
    for number, tokens in enumerate(sentences):
        optimizer.zero_grad()
        guesses = head(embedding(tokens[:, :-1]))
        loss = nn.functional.cross_entropy(guesses.flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=0)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print("%d batches, mean loss %.4f" % (number + 1, total / (number + 1)))


if __name__ == "__main__":
    main()
