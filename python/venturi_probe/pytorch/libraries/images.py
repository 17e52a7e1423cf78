"""Hooks on opening and decoding images: Pillow, torchvision.io, OpenCV."""

from types import FunctionType

from ...hooking import patches
from ...hooking.patches import Attribute
from ...hooking.splice import Calls
from ..preparation import watching


def hook_image(module):
    """PIL.Image"""
    file = module.open.__code__.co_varnames[0]
    watching.add(patches.of_function(module, "open", watching.operator("open", "open", file)))


def hook_image_file(module):
    """PIL.ImageFile: an image is decoded when its pixels are first asked for."""
    calls = Calls(enter=(_begin_load, "self"), leave=(_end_load,))
    watching.add(patches.of_function(module.ImageFile, "load", calls))


def _begin_load(image):
    own = watching.timing()
    if own is not None:
        is_decoding = bool(getattr(image, "tile", None))
        own.loads.append(is_decoding)
        if is_decoding:
            watching.begin("decode", "decode")


def _end_load():
    own = watching.timing()
    if own is not None and own.loads and own.loads.pop():
        watching.end()


def hook_opencv(module):
    """cv2, whose imread opens and decodes in one."""
    watching.add(Attribute(module, "imread", lambda original: watching.timed(original, "imread", "decode", opens=True)))
    watching.add(Attribute(module, "imdecode", lambda original: watching.timed(original, "imdecode", "decode")))


def hook_torchvision_io(module):
    """torchvision.io.image, whose functions call registered operations. Not every version has every format."""
    formats = ("decode_image", "decode_jpeg", "decode_png", "decode_gif", "decode_webp")
    around = {"torch.ops.image." + name: watching.callee(name, "decode") for name in formats}
    around["torch.ops.image.read_file"] = watching.callee("read_file", "open", opens=True)
    for function in list(vars(module).values()):
        if isinstance(function, FunctionType) and "ops" in function.__code__.co_names:
            watching.splice(function, Calls(around=around, is_any=True))
