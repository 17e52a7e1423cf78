"""Which module gets which hook, once it is imported. A hook that does not fit its module leaves it unwatched."""

from importlib import import_module

from ..hooking.imports import after_import
from ..recording import control
from . import foreign

#: Module of torch or of a library → the function of ours that is handed it. Those are loaded with it: most Pythons that a
#: command starts import none.
HOOKS = {
    "torch.utils.data.dataloader": "loaders.dataloader.hook_loaders",
    "torch.utils.data._utils.worker": "loaders.workers.hook_worker",
    "torchdata.stateful_dataloader.stateful_dataloader": "loaders.dataloader.hook_stateful",
    "torchdata.stateful_dataloader.worker": "loaders.workers.hook_worker",
    "torch.utils.data._utils.pin_memory": "loaders.workers.hook_pin_memory",
    "torch.utils.data._utils.fetch": "preparation.elements.hook_fetchers",
    "torch.utils.data.dataset": "preparation.elements.hook_subset",
    "torch._dynamo.callback": "steps.phase_hooks.hook_compiler",
    "torch.nn.modules.container": "libraries.transforms.hook_sequential",
    "torch.nn.modules.module": "libraries.transform_calls.hook_module",
    "torchvision.transforms.transforms": "libraries.transforms.hook_compose",
    "torchvision.transforms.v2._container": "libraries.transforms.hook_compose_v2",
    "albumentations.core.transforms_interface": "libraries.transforms.hook_albumentations",
    "albumentations.core.composition": "libraries.transforms.hook_albumentations_compose",
    "torchio.transforms.transform": "libraries.transform_calls.hook_torchio",
    "monai.transforms.transform": "libraries.transform_calls.hook_monai",
    "PIL.Image": "libraries.images.hook_image",
    "PIL.ImageFile": "libraries.images.hook_image_file",
    "torchvision.io.image": "libraries.images.hook_torchvision_io",
    "cv2": "libraries.images.hook_opencv",
    "torchcodec.decoders._video_decoder": "libraries.media.hook_decoders",
    "torchcodec.decoders._audio_decoder": "libraries.media.hook_decoders",
    "datasets.arrow_dataset": "libraries.huggingface.hook_tables",
    "datasets.formatting.formatting": "libraries.huggingface.hook_formatting",
    "datasets.iterable_dataset": "libraries.huggingface.hook_streams",
    "webdataset.filters": "libraries.webdatasets.hook_filters",
}


def install():
    hooks = {name: _guarded(path) for name, path in HOOKS.items()}
    control.on_end(after_import({**hooks, **foreign.HOOKS}))


def hook_at(path):
    module, name = path.rsplit(".", 1)
    return getattr(import_module("." + module, __package__), name)


def _guarded(path):
    def apply(module):
        if control.off:
            return
        with control.guard:
            from ..hooking.splice import Unfit

            try:
                hook_at(path)(module)
            except Unfit:
                # Unknown in this version: it stays unwatched.
                pass

    return apply
