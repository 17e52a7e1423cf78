"""An iterator over a loader without workers: whoever asks for a batch also prepares it.

Batches may be small and cheap here. What is known of one is put down in one go when the consumer has it, and unless more
than its times was measured many of them are encoded together.
"""

from threading import get_ident
from time import monotonic_ns

from ..preparation import preparer, stacks
from ..steps import phase_hooks, phases
from . import rows
from .loading import Loading, counts, enough

#: Batches whose step is longer are written one by one, with all that was measured of them, ns.
PLAIN_NS = 10_000_000


class Inline(Loading):
    __slots__ = ("own", "pace", "rows", "is_batching", "left", "caught_up")

    def __init__(self, iterator, name):
        super().__init__(iterator, name)
        #: Who prepares, and the loader's pace of it.
        self.own = None
        self.pace = None
        #: None where they are not possible, or not begun.
        self.rows = None
        #: Whether the loader itself makes batches of what it gets.
        self.is_batching = False
        #: Countdown of plain batches, of which only the times are recorded; its value when other counts were last brought up to date.
        self.left = self.caught_up = 0

    def _take_on(self):
        """This thread prepares from now on."""
        if self.own is not None:
            self._catch_up()
            self.left = self.caught_up = 0
        self.own = own = preparer.begin("main")
        if own.lane is not self.lane:
            self.move(own.lane)
        self.pace = own.pace_of(self.name)
        self.rows = None
        return own

    def _begin_rows(self):
        """From now on batches that are plain go into rows, where that is possible."""
        own, lane = self.own, self.lane
        if rows.ARE_POSSIBLE and own.lane is lane:
            subjects = self.consume, self.dispatch, own.collate, own.prepare, self.wait
            self.rows = rows.Rows(lane, *subjects, self.pid, self.round)

    def called(self, iterator):
        own = self.own
        if own is None or own.ident != get_ident() or own.is_over:
            own = self._take_on()
            self.is_batching = iterator._auto_collation
        fetcher = iterator._dataset_fetcher
        if own.fetcher is not None and own.fetcher is not fetcher:
            # A loader that is used to prepare an element belongs to the work on that.
            return
        self.asked = now = monotonic_ns()
        preparer.asked = own
        own.fetcher = fetcher
        own.task = preparer.next_task()
        own.is_ready = False
        self.left = left = self.left - 1
        if left < 0:
            self._call_for_more(now)
        else:
            own.is_plain, own.is_timed = True, False
            if phase_hooks.step is not None:
                phases.asked(now)

    def _catch_up(self):
        """Brings the other counts up to date with the countdown of plain batches."""
        passed = self.caught_up - self.left
        self.caught_up = self.left
        self.meter.left -= passed
        self.pace.until_timed -= passed
        self.phased.until_watched -= passed

    def _look_ahead(self):
        """How many of the batches to come are plain."""
        left = min(self.meter.left, self.pace.until_timed, self.phased.until_watched)
        # Steps on a device have events of their own, lines are asked for in every batch, and so are elements where none is made.
        is_special = self.rows is None or self.device.look_at == 0 or stacks.are_wanted or not self.is_batching
        self.left = self.caught_up = 0 if is_special else max(0, left)

    def _call_for_more(self, now):
        """More than the times of this batch is to be measured, or was of the one before."""
        self._catch_up()
        own = self.own
        own.pace = self.pace
        own.is_plain = own.is_measured = False
        own.is_timed = self.pace.until_timed < 0
        if self.meter.left < 0:
            self.lane.settle()
            self.consumed(now, True)
            own.is_measured = self.meter.last is not None
        phases.asked(now)
        if now > self.device.look_at:
            self.device.called(now)

    def returned(self, iterator):
        own = self.own
        asked = self.asked
        self.asked = own.fetcher = None
        if not own.is_ready:
            return
        now = monotonic_ns()
        current, since, lane, own_rows = self.current, self.since, self.lane, self.rows
        number = counts.next_batch()
        if own.is_plain and current is not None and now - since < PLAIN_NS:
            if lane.rows is not own_rows or own_rows.size == own_rows.FULL:
                lane.settle()
                lane.rows = own_rows
            start, collating, ended, size = own.start, own.collating, own.ended, own_rows.size
            own_rows.put(
                own_rows.buffer, size, since, asked, collating, start,
                asked - since, ended - collating, ended - start, now - asked, own.count, current, number, own.task,
            )
            own_rows.size = size + own_rows.SIZE
        else:
            self._write_batch(number, asked, now)
        self.current = number
        self.since = now
        if now > lane.flush_at:
            self.write(now)
        counts.consumed = consumed = counts.consumed + 1
        if consumed == counts.most:
            enough()

    def _write_batch(self, number, asked, now):
        """One by one, with what was measured beside its times."""
        own, lane = self.own, self.lane
        own.pace = self.pace
        lane.settle()
        if self.current is not None:
            lane.span(self.consume, self.current, self.since, asked)
        lane.span(self.dispatch, number, asked, asked)
        lane.task(self.dispatch, number, own.task, self.round, self.pid)
        if own.is_plain:
            own.is_timed = own.is_measured = False
            # Its collation was not asked for its name, and another loader's may have been since.
            own.collate, own.collate_fn = self.rows.collate, None
            if now - self.since >= PLAIN_NS:
                # Batches are not what they were: the next one is metered.
                self._catch_up()
                self.meter.left = 0
        own.write_batch()
        lane.span(self.wait, number, asked, now)
        self.meter.tell(lane, self.wait, number)
        if self.device.asked is not None:
            self.device.returned(number, now)
        if not own.is_plain and self.phased.until_watched < 0:
            self.phased.until_watched = 0
            self.phased.begin(number, asked, now)
        if self.rows is None:
            self._begin_rows()
        self._look_ahead()

    def write(self, now):
        if now > self.device.look_at:
            self.device.look(now)
            if self.device.look_at == 0:
                self._catch_up()
                self.left = self.caught_up = 0
        self.own.write_now_and_then(now)
        super().write(now)

    def missed(self, is_end):
        self._catch_up()
        self.own.fetcher = None
        self.lane.settle()
        self.consumed(self.asked, False)
        super().missed(is_end)
