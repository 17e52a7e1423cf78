"""Hooks on decoders of video and sound: torchcodec's."""

from types import FunctionType

from ..preparation import watching


def hook_decoders(module):
    """torchcodec.decoders._video_decoder, _audio_decoder: opened when they are made, decoded by whatever gets something."""
    for kind in list(vars(module).values()):
        if isinstance(kind, type) and kind.__module__ == module.__name__ and kind.__name__.endswith("Decoder"):
            for name, method in list(vars(kind).items()):
                if isinstance(method, FunctionType) and (name in ("__init__", "__getitem__") or name.startswith("get_")):
                    _watch(method, "%s.%s" % (kind.__name__, name))


def _watch(method, name):
    is_made = name.endswith("__init__")
    watching.splice(method, watching.operator(name, "open" if is_made else "decode", "source" if is_made else None))
