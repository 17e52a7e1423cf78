"""Batches that were prepared by whoever asked for them, on their way into a lane: encoded many at a time, column by column.

A batch is seven records: the one before was consumed; this one ordered (two), collated, prepared (two) and waited for.
"""

import sys
from array import array
from operator import sub

from .lane import ELEMENTS, SPAN, TASK

_RECORDS = 7
#: Halves of words in a record, and in a row.
_RECORD = 6
_ROW = _RECORDS * _RECORD
#: Where halves follow on each other as words have them.
ARE_POSSIBLE = sys.byteorder == "little" and array("I").itemsize == 4


class Rows:
    """Of one pass over a loader, in the lane of the thread that makes it.

    A row is: when the batch before was got, when this one was asked for, its preparation began, its collation began, both
    ended, and it was got; its elements; the number of the batch before, and its own; its task. No two of these moments may
    be 2^32 ns apart.
    """

    def __init__(self, lane, consume, dispatch, collate, prepare, wait, pid, round_):
        self.lane = lane
        self.collate = collate
        self.rows = []
        #: Ends the rows of others before it takes the first.
        self.append = self.rows.append
        words = []
        for first, second, subject in (
            (0, SPAN, consume),
            (0, SPAN, dispatch),
            (round_ << 32, pid | TASK, dispatch),
            (0, SPAN, collate),
            (0, SPAN, prepare),
            (0, 1 | ELEMENTS, prepare),
            (0, SPAN, wait),
        ):
            words.extend((first, second, subject))
        #: What is the same in all rows.
        self.template = array("I", array("Q", words).tobytes())

    def encode(self):
        """All rows, in words of the lane."""
        rows = self.rows
        if not rows:
            return
        got_before, asked, start, collating, ended, got, count, before, number, task = zip(*rows)
        rows.clear()
        halves = self.template * len(got)
        view = memoryview(halves)
        words = view.cast("B").cast("Q")
        asked, task, number = array("Q", asked), array("I", task), array("I", number)
        # Moments, two halves each.
        for record, column in ((0, array("Q", got_before)), (1, asked), (3, array("Q", collating)), (4, array("Q", start)), (6, asked)):
            words[record * _RECORD // 2 :: _ROW // 2] = column
        for at, column in (
            (2, array("I", map(sub, asked, got_before))),
            (3 * _RECORD + 2, array("I", map(sub, ended, collating))),
            (4 * _RECORD + 2, array("I", map(sub, ended, start))),
            (6 * _RECORD + 2, array("I", map(sub, got, asked))),
            (2 * _RECORD, task),
            (5 * _RECORD, array("I", count)),
            (5, array("I", before)),
            (_RECORD + 5, number),
            (2 * _RECORD + 5, number),
            (3 * _RECORD + 5, task),
            (4 * _RECORD + 5, task),
            (5 * _RECORD + 5, task),
            (6 * _RECORD + 5, number),
        ):
            view[at::_ROW] = column
        self.lane.words.frombytes(view.cast("B"))
