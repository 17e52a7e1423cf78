"""https://huggingface.co/docs/transformers/tasks/sequence_classification: rows are tokenised by map, batches padded by a collator."""

import os
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import datasets
import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)
from transformers.trainer_callback import PrinterCallback
from work import Tally

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "good", "bad", "film", "with", "an", "end"]


def main():
    datasets.disable_progress_bars()
    torch.set_num_threads(1)
    tally = Tally()
    generator = torch.Generator().manual_seed(1)
    lengths = torch.randint(2, 12, (64,), generator=generator).tolist()
    rows = {
        "text": [" ".join(WORDS[5 + (index + at) % 7] for at in range(length)) for index, length in enumerate(lengths)],
        "label": [index % 2 for index in range(64)],
    }
    with tempfile.TemporaryDirectory() as folder:
        vocabulary = os.path.join(folder, "vocab.txt")
        with open(vocabulary, "w") as file:
            file.write("\n".join(WORDS))
        tokenizer = BertTokenizer(vocabulary)
        raw = datasets.Dataset.from_dict(rows).train_test_split(test_size=16, seed=3)
        tokenized = raw.map(lambda row: tokenizer(row["text"], truncation=True), batched=True)
        config = BertConfig(
            vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
        )
        torch.manual_seed(0)
        model = BertForSequenceClassification(config)
        model.register_forward_pre_hook(
            lambda module, _, inputs: tally.count("train" if module.training else "val", len(inputs["labels"])),
            with_kwargs=True,
        )
        trainer = Trainer(
            model=model,
            args=TrainingArguments(
                output_dir=folder,
                num_train_epochs=2,
                per_device_train_batch_size=4,
                per_device_eval_batch_size=4,
                eval_strategy="epoch",
                save_strategy="no",
                logging_strategy="epoch",
                dataloader_num_workers=2,
                report_to=[],
                use_cpu=True,
                disable_tqdm=True,
            ),
            train_dataset=tokenized["train"],
            eval_dataset=tokenized["test"],
            processing_class=tokenizer,
            data_collator=DataCollatorWithPadding(tokenizer=tokenizer),
        )
        # It prints how long everything took.
        trainer.remove_callback(PrinterCallback)
        trained = trainer.train()
    for entry in trainer.state.log_history:
        print({key: value for key, value in entry.items() if not key.endswith(("runtime", "per_second", "flos"))})
    print(f"{trained.global_step} steps, loss {trained.training_loss:.6f}")
    tally.tell()


if __name__ == "__main__":
    main()
