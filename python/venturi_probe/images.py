"""Hooks on opening and decoding images: Pillow, torchvision.io, OpenCV."""

from functools import wraps

from . import watching
from .watching import Spot, timed


def hook_image(module):
    """PIL.Image"""
    module.open = timed(module.open, "open", "open", watching.opened_file)


def hook_image_file(module):
    """PIL.ImageFile: an image is decoded when its pixels are first asked for."""
    original = module.ImageFile.load

    @wraps(original)
    def load(self):
        own = watching.timing() if getattr(self, "tile", None) else None
        if own is None:
            return original(self)
        return watching.call_timed(own, "decode", "decode", None, original, (self,), {})

    module.ImageFile.load = load


def hook_opencv(module):
    """cv2, whose imread opens and decodes in one."""
    watching.add(Spot(module, "imread", lambda original: timed(original, "imread", "decode", watching.opened_file)))
    watching.add(Spot(module, "imdecode", lambda original: timed(original, "imdecode", "decode")))


class _Operation:
    """Stands in for one of torch's registered operations."""

    def __init__(self, original, name, kind, before=None):
        self._original = original
        self._timed = timed(lambda *args, **kwargs: original(*args, **kwargs), name, kind, before)

    def __call__(self, *args, **kwargs):
        return self._timed(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self._original, name)


def hook_torchvision_io(module):
    """torchvision.io.image: its functions call registered operations, by whatever name an author imported them."""
    import torch

    operations = torch.ops.image
    for name in ("read_file", "decode_image", "decode_jpeg", "decode_png", "decode_gif", "decode_webp"):
        # Not every version, or not every build, has every format.
        if hasattr(operations, name):
            watching.add(Spot(operations, name, _operation(name)))


def _operation(name):
    if name == "read_file":
        return lambda original: _Operation(original, name, "open", watching.opened_file)
    return lambda original: _Operation(original, name, "decode")
