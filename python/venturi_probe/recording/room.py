"""The space that a recording may take, all its lanes together: older records make room for newer ones.

Whoever begins a file looks at all of them. Nothing is locked: two that delete the same file do no harm.
"""

import os
import time

from . import control, settings
from .files import open_regular

#: Parts into which the space is divided. So many lanes can be written at once.
PARTS = 32
SMALLEST = 64 * 1024
#: A lane that was not written to for so long, in s, has ended, or has little to say.
QUIET_S = 30.0
HEADER_BYTES = 96
#: Lanes that give the others their meaning: what they began with stays.
KEPT = (b"main ", b"host")


class Room:
    def __init__(self, limit):
        self.limit = max(limit, PARTS * SMALLEST)
        self.segment = self.limit // PARTS

    def make(self, folder, path):
        """Deletes the oldest files until the one about to begin at `path`, and all that are being written, can grow."""
        files, latest = [], {}
        for entry in os.scandir(folder):
            try:
                facts = entry.stat()
                lane, number = entry.name[: -len(".lane")].rsplit(".", 1)
                int(number)
            except (OSError, ValueError):
                # Gone meanwhile, or nothing of ours.
                continue
            latest[lane] = max(latest.get(lane, 0), int(number))
            files.append((facts.st_mtime, facts.st_size, lane, int(number), entry.path))
        own = os.path.basename(path).rsplit(".", 2)[0]
        now = time.time()
        taken = self.segment
        old = []
        for changed, size, lane, number, file in sorted(files):
            is_growing = number == latest[lane] and lane != own and now - changed < QUIET_S
            taken += max(size, self.segment) if is_growing else size
            if not is_growing and not (number == 0 and _is_kept(file)):
                old.append((size, file))
        for size, file in old:
            if taken <= self.limit:
                return
            control.mark(control.ROTATED)
            try:
                os.remove(file)
            except FileNotFoundError:
                pass
            taken -= size
        if taken > self.limit:
            raise OSError("more lanes than have room in %d bytes" % self.limit)


def _is_kept(file):
    try:
        with open_regular(file) as lane:
            lane.seek(HEADER_BYTES)
            return lane.read(14).startswith(KEPT)
    except OSError:
        return True


def of_environment():
    limit = settings.number("LIMIT")
    return None if limit is None else Room(limit)
