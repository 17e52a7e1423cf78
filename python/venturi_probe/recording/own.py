"""Where the probe lies: its own frames are told from the program's by their files."""

import os

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
#: What a Python imports the probe from, and what has it started in every Python that finds it on its path.
PACKAGES = os.path.dirname(os.path.dirname(FOLDER))
INJECT = os.path.join(PACKAGES, "inject")


def is_own(file):
    return file.startswith(FOLDER)
