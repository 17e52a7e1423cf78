"""What callers give for options."""

from .failure import PipelineError


def whole(name, value, least=0):
    """A whole number, of Python's or of NumPy's, also where it stands as a float."""
    try:
        number = int(value)
        if number == value and number >= least:
            return number
    except (OverflowError, TypeError, ValueError):
        pass
    raise PipelineError(
        "VENTURI_USAGE", "%s=%r is no whole number of at least %d" % (name, value, least), "give one: %s=%d" % (name, max(least, 4))
    )


def mapping(name, given):
    """Names and what they are set to."""
    if given is None or hasattr(given, "items"):
        return given or {}
    raise PipelineError("VENTURI_USAGE", "%s=%r is no dict" % (name, given), "give names and values: %s={'name': 3}" % name)
