"""One thread's file of the run: docs/run-format.md says what its bytes mean.

Records gather as 64-bit words and are handed over in one append per batch. An append needs no space made ahead: what
the disk refuses is refused here, between records, and what a kill leaves behind is whole up to the last append.
"""

import os
import struct
import sys
import threading
from array import array
from time import monotonic_ns

HEADER = struct.Struct("<8sHHHBB16sIIQQI36x")
MAX_U48 = (1 << 48) - 1
MAX_U32 = (1 << 32) - 1
MAX_TEXT_PARTS = 4096
#: What a kill may cost of a lane.
FLUSH_NS = 5_000_000

TEXT = 1 << 48
SPAN = 2 << 48
CPU = 3 << 48
BYTES = 4 << 48
ELEMENTS = 5 << 48
COUNTER = 6 << 48
CLOCK = 7 << 48
CLOCK_VALUE = 8 << 48
END = 9 << 48
INNER = 10 << 48
TASK = 11 << 48
SAMPLE = 12 << 48
TEXT_LAST = 1 << 56


def _uuid():
    value = bytearray(os.urandom(16))
    value[6] = value[6] & 0x0F | 0x40
    value[8] = value[8] & 0x3F | 0x80
    return bytes(value)


class Lane:
    def __init__(self, folder, name, room=None, within="lanes", tid=None):
        self.folder = os.path.join(folder, within)
        self.name = name
        #: What the whole recording may take; None where it may grow.
        self.room = room
        self.uuid = _uuid()
        self.fd = -1
        self.tid = threading.get_native_id() if tid is None else tid
        self.words = array("Q")
        #: Batches that are encoded when they are handed over, or something else comes behind them.
        self.rows = None
        #: Until then what there is need not be handed over.
        self.flush_at = 0
        self.numbers = {}
        self.opened = monotonic_ns()
        self.segment = 0
        self.written = 0
        self._open()
        self._text(0, name)

    def _open(self):
        text = self.uuid.hex()
        parts = text[:8], text[8:12], text[12:16], text[16:20], text[20:]
        path = os.path.join(self.folder, "%s.%d.lane" % ("-".join(parts), self.segment))
        if self.room is not None:
            self.room.make(self.folder, path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        self.fd = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o666)
        self.written = 0
        pid = os.getpid()
        self._write(HEADER.pack(b"VENTURI\0", 1, 24, 96, 1, 0, self.uuid, pid, self.tid, 0, self.opened, self.segment))

    def _rotate(self):
        """Goes on in a new file. It begins with the whole dictionary, so that it can be read without those before."""
        self.abandon()
        self.segment += 1
        self._open()
        self._text(0, self.name)
        for key, number in self.numbers.items():
            self._text(number, key)
        self._hand_over()

    def number(self, key):
        """This lane's number for a subject; its first use writes it into the lane's dictionary."""
        number = self.numbers.get(key)
        if number is None:
            number = len(self.numbers) + 1
            self.numbers[key] = number
            self._text(number, key)
        return number

    def _text(self, number, text):
        data = text.replace("\0", "\ufffd").encode("utf-8", "replace")[: MAX_TEXT_PARTS * 14]
        last = max(0, (len(data) - 1) // 14)
        for part in range(last + 1):
            piece = data[part * 14 : part * 14 + 14].ljust(14, b"\0")
            mark = TEXT | TEXT_LAST if part == last else TEXT
            tail = int.from_bytes(piece[8:], "little")
            self.words.extend((int.from_bytes(piece[:8], "little"), tail | mark, number | part << 32))

    def span(self, subject, sequence, start, end):
        duration = end - start
        if duration > MAX_U48:
            duration = MAX_U48
        self.words.extend((start, duration | SPAN, subject | sequence << 32))

    def task(self, subject, sequence, task, round_, pid):
        """Who prepares the batch of the span before: process `pid`, as its task number `task`."""
        self.words.extend((task | round_ << 32, pid | TASK, subject | sequence << 32))

    def counter(self, subject, metric, moment, value):
        self.words.extend((moment, max(0, min(value, MAX_U48)) | COUNTER | metric << 56, subject))

    def sample(self, symbol, moment, passed):
        """This lane's thread was at that symbol, and `passed` ns had passed since somebody looked."""
        self.words.extend((moment, min(passed, MAX_U48) | SAMPLE, symbol | self.tid << 32))

    def clock(self, domain, moment, value):
        subject = self.number("clock:" + domain)
        self.words.extend((moment, CLOCK, subject, value, CLOCK_VALUE, subject))

    def flush(self):
        self._hand_over()
        if self.room is not None and self.written > self.room.segment:
            self._rotate()

    def settle(self):
        """What comes next stands behind the rows that there are."""
        if self.rows is not None:
            self.rows.encode()
            self.rows = None

    def _hand_over(self):
        self.settle()
        words = self.words
        if words:
            self.words = array("Q")
            if sys.byteorder == "big":
                words.byteswap()
            self._write(words.tobytes())

    def close(self):
        if self.fd >= 0:
            self.settle()
            self.words.extend((monotonic_ns(), END, 0))
            self._hand_over()
            self.abandon()

    def abandon(self):
        """Gives the file up without a word in it: a forked child's copy of its parent's lane."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)

    def _write(self, data):
        self.written += len(data)
        while data:
            data = data[os.write(self.fd, data) :]
