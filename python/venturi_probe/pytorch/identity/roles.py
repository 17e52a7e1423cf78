"""What a loader is for, where its dataset or the functions that make it say so: train, val, test …"""

import os
import re
from pathlib import PurePath

_WORDS = {
    "train": "train training trn trainset",
    "val": "val valid validation validate valset dev",
    "eval": "eval evaluation evaluate",
    "test": "test testing testset",
    "predict": "predict prediction infer inference",
}
_ROLES = {word: role for role, words in _WORDS.items() for word in words.split()}
_WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LOADING = re.compile("load|data|dl", re.IGNORECASE)

_SPLITS = "split _split mode phase stage subset partition image_set usage set_name".split()
_FLAGS = "train is_train training is_training".split()
_FOLDERS = "root _root root_dir data_dir data_path path folder directory img_dir image_dir _base_folder".split()


def role_in(name):
    """The one role that a name speaks of; None where there is none, or several."""
    roles = {_ROLES[word.lower()] for word in _WORD.findall(name) if word.lower() in _ROLES}
    return roles.pop() if len(roles) == 1 else None


def role_of(datasets, functions):
    """`datasets`: what each holds. `functions`: names of those that made the loader, innermost first."""
    for name in functions:
        if _LOADING.search(name) and role_in(name):
            return role_in(name)
    for dataset in datasets:
        role = _role_of_dataset(dataset)
        if role:
            return role
    return None


def _role_of_dataset(held):
    for name in _SPLITS:
        value = held.get(name)
        # Hugging Face has a class for it.
        text = value if isinstance(value, str) else getattr(value, "_name", None)
        role = role_in(text) if isinstance(text, str) else None
        if role:
            return role
    for name in _FLAGS:
        if isinstance(held.get(name), bool):
            return "train" if held[name] else "test"
    for name in _FOLDERS:
        value = held.get(name)
        if isinstance(value, (str, PurePath)):
            parts = os.path.normpath(str(value)).split(os.sep)[-2:]
            role = next((role for role in map(role_in, reversed(parts)) if role), None)
            if role:
                return role
    return None
