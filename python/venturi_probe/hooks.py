"""Which module gets which hook, once it is imported. A hook that does not fit its module leaves it unwatched."""

from . import control, elements, foreign, huggingface, images, loaders, media, phase_hooks, steps, transforms, webdatasets, workers
from .imports import after_import
from .splice import Unfit

HOOKS = {
    "torch.utils.data.dataloader": loaders.hook_loaders,
    "torch.utils.data._utils.worker": workers.hook_worker,
    "torchdata.stateful_dataloader.stateful_dataloader": loaders.hook_stateful,
    "torchdata.stateful_dataloader.worker": workers.hook_worker,
    "torch.utils.data._utils.pin_memory": workers.hook_pin_memory,
    "torch.utils.data._utils.fetch": elements.hook_fetchers,
    "torch.utils.data.dataset": elements.hook_subset,
    "torch._dynamo.callback": phase_hooks.hook_compiler,
    "torch.nn.modules.container": transforms.hook_sequential,
    "torch.nn.modules.module": steps.hook_module,
    "torchvision.transforms.transforms": transforms.hook_compose,
    "torchvision.transforms.v2._container": transforms.hook_compose_v2,
    "albumentations.core.transforms_interface": transforms.hook_albumentations,
    "albumentations.core.composition": transforms.hook_albumentations_compose,
    "torchio.transforms.transform": steps.hook_torchio,
    "monai.transforms.transform": steps.hook_monai,
    "PIL.Image": images.hook_image,
    "PIL.ImageFile": images.hook_image_file,
    "torchvision.io.image": images.hook_torchvision_io,
    "cv2": images.hook_opencv,
    "torchcodec.decoders._video_decoder": media.hook_decoders,
    "torchcodec.decoders._audio_decoder": media.hook_decoders,
    "datasets.arrow_dataset": huggingface.hook_tables,
    "datasets.formatting.formatting": huggingface.hook_formatting,
    "datasets.iterable_dataset": huggingface.hook_streams,
    "webdataset.filters": webdatasets.hook_filters,
    **foreign.HOOKS,
}


def install():
    control.on_end(after_import({name: _guarded(hook) for name, hook in HOOKS.items()}))


def _guarded(hook):
    def apply(module):
        if control.off:
            return
        try:
            hook(module)
        except Unfit:
            # Unknown in this version: it stays unwatched.
            pass
        except Exception as error:
            control.fail(error)

    return apply
