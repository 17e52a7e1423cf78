"""What a step is in the preparation of a batch: said once of each, so that nobody has to guess it from its name."""

#: Where steps of a kind stand on an element's way. A span of the author's own stands among the transforms: it may hold anything.
_ORDER = {"dataset": 0, "open": 1, "decode": 2, "transform": 3, "span": 3, "collate": 4}

#: Transforms of torchvision that draw nothing at random. Any other may.
_STEADY = frozenset(
    "Resize CenterCrop FiveCrop TenCrop Pad Grayscale ToTensor PILToTensor ToImage ToPILImage ToDtype ToPureTensor"
    " ConvertImageDtype Normalize".split()
)


def of(name, kind):
    decodes = kind in ("open", "decode")
    # PIL's own decoding; other libraries' is called by their functions' names.
    gives = {"gives": "PIL.Image"} if kind == name == "decode" else {}
    return {
        **gives,
        "per": "batch" if kind == "collate" else "element",
        "fetches": kind == "dataset",
        "decodes": decodes,
        "steady": decodes or (kind == "transform" and name.split("#")[0] in _STEADY),
        "place": _ORDER.get(kind, _ORDER["transform"]),
    }
