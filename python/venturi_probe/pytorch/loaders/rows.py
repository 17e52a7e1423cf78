"""Batches that were prepared by whoever asked for them, on their way into a lane: encoded many at a time, column by column.

A batch is seven records: the one before was consumed; this one ordered (two), collated, prepared (two) and waited for.
"""

import struct
import sys
from array import array

from ...recording.lane import ELEMENTS, SPAN, TASK

#: Where halves of words follow on each other as words have them.
ARE_POSSIBLE = sys.byteorder == "little" and array("I").itemsize == 4
#: In a row: when the batch before was got, this one asked for, its collation begun, its preparation begun; ns from the
#: first to the second of these, of the collation, of the preparation, and from asking to getting; the elements; the
#: number of the batch before, its own, and its task.
_row = struct.Struct("=4Q8I")
#: As many are encoded at once.
MOST = 256

#: Halves in a record, and in the seven of a batch.
_RECORD = 6
_BATCH = 7 * _RECORD
#: Where the moments of a row come to stand, in words, and what else it holds, in halves.
_WORDS = ((0, 0), (1, 3), (2, 9), (3, 12), (1, 18))
_HALVES = (
    (8, 2),
    (9, 3 * _RECORD + 2),
    (10, 4 * _RECORD + 2),
    (11, 6 * _RECORD + 2),
    (12, 5 * _RECORD),
    (13, 5),
    (14, _RECORD + 5),
    (14, 2 * _RECORD + 5),
    (14, 6 * _RECORD + 5),
    (15, 2 * _RECORD),
    (15, 3 * _RECORD + 5),
    (15, 4 * _RECORD + 5),
    (15, 5 * _RECORD + 5),
)


class Rows:
    """Of one pass over a loader, in the lane of the thread that makes it."""

    __slots__ = ("lane", "collate", "buffer", "size", "template")
    put = _row.pack_into
    SIZE = _row.size
    FULL = MOST * _row.size

    def __init__(self, lane, consume, dispatch, collate, prepare, wait, pid, round_):
        self.lane = lane
        self.collate = collate
        self.buffer = bytearray(self.FULL)
        #: Bytes of it that hold rows.
        self.size = 0
        records = (
            (0, SPAN, consume),
            (0, SPAN, dispatch),
            (round_ << 32, pid | TASK, dispatch),
            (0, SPAN, collate),
            (0, SPAN, prepare),
            (0, 1 | ELEMENTS, prepare),
            (0, SPAN, wait),
        )
        #: What is the same in all rows.
        self.template = array("I", array("Q", sum(records, ())).tobytes())

    def encode(self):
        """All rows, in words of the lane."""
        if self.size == 0:
            return
        rows = memoryview(self.buffer)[: self.size]
        row_words, row_halves = rows.cast("Q"), rows.cast("I")
        records = memoryview(self.template * (self.size // self.SIZE))
        words = records.cast("B").cast("Q")
        for column, at in _WORDS:
            words[at :: _BATCH // 2] = row_words[column :: self.SIZE // 8]
        for column, at in _HALVES:
            records[at::_BATCH] = row_halves[column :: self.SIZE // 4]
        self.lane.words.frombytes(records.cast("B"))
        self.size = 0
