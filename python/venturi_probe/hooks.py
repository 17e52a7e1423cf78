"""Which module gets which hook, once it is imported. A hook that does not fit its module leaves it unwatched."""

from . import control, elements, loaders, workers
from .imports import after_import

HOOKS = {
    "torch.utils.data.dataloader": loaders.hook_loaders,
    "torch.utils.data._utils.worker": workers.hook_worker,
    "torchdata.stateful_dataloader.stateful_dataloader": loaders.hook_stateful,
    "torchdata.stateful_dataloader.worker": workers.hook_worker,
    "torch.utils.data._utils.pin_memory": workers.hook_pin_memory,
    "torch.utils.data._utils.fetch": elements.hook_fetchers,
    "torch.nn.modules.container": elements.hook_sequential,
    "torchvision.transforms.transforms": elements.hook_compose,
    "torchvision.transforms.v2._container": elements.hook_compose_v2,
    "PIL.Image": elements.hook_image,
    "PIL.ImageFile": elements.hook_image_file,
}


def install():
    after_import({name: _guarded(hook) for name, hook in HOOKS.items()})


def _guarded(hook):
    def apply(module):
        try:
            hook(module)
        except Exception as error:
            control.fail(error)

    return apply
