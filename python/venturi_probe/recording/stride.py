"""How often clocks of the system are read: of what is short, one in so many is metered."""

#: ns, and out of how many that are shorter than this one is metered.
STRIDES = ((50_000, 128), (250_000, 32), (2_000_000, 8))


def stride_of(duration):
    for limit, stride in STRIDES:
        if duration < limit:
            return stride
    return 1
