"""python -m venturi_probe [OPTIONS] SCRIPT [ARGUMENTS …], or -m MODULE in the place of the script."""

import os
import runpy
import sys

from . import record

USAGE = """usage: python -m venturi_probe [OPTIONS] (SCRIPT | -m MODULE) [ARGUMENTS ...]

  --out NAME      record into the folder NAME.venturi
  --batches N     stop recording after so many batches
  --then-stop     and end the program with them
  --limit BYTES   keep at most so much of the recording
  --redact        leave paths and arguments out of it
  --stacks        sample the lines of Python that prepare elements
"""


def _options(arguments):
    """The options before the script, and the rest; None where they make no sense."""
    options = {"out": "recording"}
    rest = list(arguments)
    while rest and rest[0].startswith("--"):
        option = rest.pop(0)[2:].replace("-", "_")
        if option in ("then_stop", "redact", "stacks"):
            options[option] = True
        elif option == "out" and rest:
            options[option] = rest.pop(0)
        elif option in ("batches", "limit") and rest and rest[0].isdigit():
            options[option] = int(rest.pop(0))
        else:
            return None, rest
    return options, rest


def main():
    options, arguments = _options(sys.argv[1:])
    if options is None or not arguments or arguments[0] == "-h" or (arguments[0] == "-m" and len(arguments) < 2):
        sys.stderr.write(USAGE)
        sys.exit(0 if sys.argv[1:2] in (["-h"], ["--help"]) else 2)
    out = options.pop("out")
    try:
        record(out, **options)
    except OSError as error:
        sys.exit("venturi: no recording can be made in %s: %s" % (out, error))
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")


main()
