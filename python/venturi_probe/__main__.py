"""python -m venturi_probe [--out NAME] SCRIPT [ARGUMENTS …], or -m MODULE in the place of the script."""

import os
import runpy
import sys

from . import record

USAGE = "usage: python -m venturi_probe [--out NAME] (SCRIPT | -m MODULE) [ARGUMENTS ...]\n"


def main():
    arguments = sys.argv[1:]
    out = "recording"
    if len(arguments) >= 2 and arguments[0] == "--out":
        out = arguments[1]
        arguments = arguments[2:]
    if not arguments or arguments[0] in ("-h", "--help") or (arguments[0] == "-m" and len(arguments) < 2):
        sys.stderr.write(USAGE)
        sys.exit(0 if arguments else 2)
    try:
        record(out)
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
