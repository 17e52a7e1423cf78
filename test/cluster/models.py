"""Models to be trained: tensors of the true shapes' proportions, scaled down so that slow links carry them, and the share of compute of each layer."""

from dataclasses import dataclass

BYTES_PER_PARAMETER = 4


@dataclass(frozen=True)
class Layer:
    """Consecutive operations that need these tensors, and no others, to run forward."""

    name: str
    tensors: tuple  # of (name, number of parameters)
    share: float  # of a step's compute time


@dataclass(frozen=True)
class Model:
    name: str
    layers: tuple

    @property
    def bytes(self):
        return BYTES_PER_PARAMETER * sum(count for layer in self.layers for _, count in layer.tensors)


def _scaled(name, layers, total_bytes):
    """`layers` are (name, [(tensor, parameters)], multiply-adds); kernels shrink by one ratio so that all take `total_bytes`."""
    whole = sum(count for _, tensors, _ in layers for _, count in tensors)
    ratio = total_bytes / BYTES_PER_PARAMETER / whole
    work = sum(operations for _, _, operations in layers)
    return Model(
        name,
        tuple(
            Layer(
                layer,
                tuple((tensor, max(1, round(count * ratio))) for tensor, count in tensors),
                operations / work,
            )
            for layer, tensors, operations in layers
        ),
    )


def vgg(total_bytes):
    """VGG-11 (Simonyan and Zisserman 2015, configuration A, 224 x 224): one fully connected layer holds 77 % of the parameters."""
    layers = []
    channels, side = 3, 224
    for number, (out, pooled) in enumerate([(64, 1), (128, 1), (256, 0), (256, 1), (512, 0), (512, 1), (512, 0), (512, 1)]):
        weights = 9 * channels * out
        layers.append((f"conv{number}", [("kernel", weights), ("bias", out)], weights * side * side))
        channels, side = out, side // 2 if pooled else side
    for number, (inputs, out) in enumerate([(channels * side * side, 4096), (4096, 4096), (4096, 1000)]):
        layers.append((f"fc{number}", [("kernel", inputs * out), ("bias", out)], inputs * out))
    return _scaled("vgg", layers, total_bytes)


def resnet(total_bytes):
    """ResNet-50 (He et al. 2016, 224 x 224) by residual blocks, whose kernels are one tensor: many tensors, three with more than 10 % of the parameters."""
    layers = [("stem", [("kernel", 49 * 3 * 64), ("norm", 4 * 64)], 49 * 3 * 64 * 112 * 112)]
    channels, side = 64, 56
    for stage, (width, blocks) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)]):
        for block in range(blocks):
            if block == 0 and stage > 0:
                side //= 2
            kernels = channels * width + 9 * width * width + 4 * width * width
            if block == 0:
                kernels += channels * 4 * width
            layers.append((f"block{stage}_{block}", [("kernels", kernels), ("norm", 24 * width)], kernels * side * side))
            channels = 4 * width
    layers.append(("classes", [("kernel", channels * 1000), ("bias", 1000)], channels * 1000))
    return _scaled("resnet", layers, total_bytes)


def dense(total_bytes):
    """Six dense layers of one width, whose compute is real: they take no share of a given time."""
    layers = 6
    width = int((total_bytes / BYTES_PER_PARAMETER / layers) ** 0.5)
    tensors = (("kernel", width * width), ("bias", width))
    return Model("dense", tuple(Layer(f"dense{number}", tensors, 1 / layers) for number in range(layers)))


MODELS = {"vgg": vgg, "resnet": resnet, "dense": dense}
