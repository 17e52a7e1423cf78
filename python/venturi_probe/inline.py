"""An iterator over a loader without workers: whoever asks for a batch also prepares it.

Batches may be small and cheap here. What is known of one is put down in one go when the consumer has it, and unless more
than its times was measured many of them are encoded together.
"""

from threading import get_ident
from time import monotonic_ns

from . import phase_hooks, phases, preparer, rows, stacks
from .lane import MAX_U32
from .loading import Loading, counts, enough


class Inline(Loading):
    __slots__ = ("own", "pace", "rows")

    def __init__(self, iterator, name):
        super().__init__(iterator, name)
        #: Who prepares, and the loader's pace of it.
        self.own = None
        self.pace = None
        #: None where they are not possible, or not begun.
        self.rows = None

    def _take_on(self):
        """This thread prepares from now on."""
        self.own = own = preparer.begin("main")
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
        fetcher = iterator._dataset_fetcher
        if own.fetcher is not None and own.fetcher is not fetcher:
            # A loader that is used to prepare an element belongs to the work on that.
            return
        self.asked = now = monotonic_ns()
        preparer.asked = own
        own.fetcher = fetcher
        own.task += 1
        own.is_ready = own.is_measured = False
        meter, pace = self.meter, self.pace
        meter.left = until_metered = meter.left - 1
        pace.until_timed = until_timed = pace.until_timed - 1
        if until_metered >= 0 and until_timed >= 0 and not stacks.are_wanted:
            own.is_plain, own.is_timed = True, False
        else:
            self._call_for_more(now)
        if phase_hooks.step is not None:
            phases.asked(now)
        if now > self.device.look_at:
            self.device.called(now)

    def _call_for_more(self, now):
        """More than the times of this batch is to be measured, or was of the one before."""
        own = self.own
        own.pace = self.pace
        own.is_timed = self.pace.until_timed < 0
        if self.meter.left < 0:
            self.lane.settle()
            self.consumed(now, True)
            own.is_measured = self.meter.last is not None
        own.is_plain = not (own.is_timed or own.is_measured or stacks.are_wanted)

    def returned(self, iterator):
        own = self.own
        asked = self.asked
        self.asked = own.fetcher = None
        if not own.is_ready:
            return
        now = monotonic_ns()
        current, since, lane = self.current, self.since, self.lane
        number = counts.batches
        counts.batches = number + 1
        own_rows = self.rows
        if (
            current is not None
            and own.is_plain
            and own_rows is not None
            and own_rows.collate == own.collate
            and now - since < MAX_U32
        ):
            if lane.rows is not own_rows:
                lane.settle()
                lane.rows = own_rows
            start, ended = own.start, own.ended
            own_rows.append((since, asked, start, own.collating, ended, now, own.count, current, number, own.task))
            if ended - start > self.pace.most_ns:
                own.pace = self.pace
                own.plan(ended - start)
        else:
            lane.settle()
            if current is not None:
                lane.span(self.consume, current, since, asked)
            lane.span(self.dispatch, number, asked, asked)
            lane.task(self.dispatch, number, own.task, self.round, self.pid)
            own.pace = self.pace
            own.write_batch()
            lane.span(self.wait, number, asked, now)
            self.meter.wait(lane, self.wait, number)
            if own_rows is None or own_rows.collate != own.collate:
                self._begin_rows()
        self.current = number
        self.since = now
        if now > lane.flush_at:
            self.write(now)
        if self.device.asked is not None:
            self.device.returned(number, now)
        if self.phased.until_watched:
            self.phased.until_watched -= 1
        else:
            self.phased.begin(number, asked, now)
        counts.consumed = consumed = counts.consumed + 1
        if consumed == counts.most:
            enough()

    def write(self, now):
        self.own.write_now_and_then(now)
        super().write(now)

    def missed(self, is_end):
        self.own.fetcher = None
        self.lane.settle()
        self.consumed(self.asked, False)
        super().missed(is_end)
