"""What one thread does to make batches: a DataLoader worker, or the main thread where there are no workers."""

import os
import threading
from heapq import heappush, heapreplace
from itertools import count
from operator import is_
from time import monotonic_ns, thread_time_ns

from ...recording import control, facts, process, session
from ...recording.clocks import QueueClock, stride_of
from ...recording.lane import BYTES, CPU, ELEMENTS, INNER, MAX_U32, MAX_U48, SPAN
from . import sizes, step_traits
from .nesting import ended, insert

#: Overhead budget of timing elements, as a share of the batch's time; cost of an event until it is written, and of a batch, ns.
BUDGET = 0.01
EVENT_NS = 800
BATCH_NS = 25_000
MAX_STRIDE = 256
#: Batches that are timed whatever it costs, so that a short run has figures too.
FIRST_TIMED = 4
MOST_CHAINS = 256
SLOWEST = 8
WRITE_NS = 500_000_000

#: Tasks of those without workers are numbered through the process: by process and task they are found again.
next_task = count(1).__next__
#: Preparers by thread, and the one whose batch is being timed operator by operator.
preparers = {}
timing = None
#: The one that was last asked for a batch, of those without workers: most often the one that is looked for.
asked = None


def of_this_thread():
    return preparers.get(threading.get_ident())


def begin(lane_name):
    ident, lane = threading.get_ident(), session.lane(lane_name)
    found = preparers.get(ident)
    if found is None or found.lane is not lane:
        # The thread that had this ident before has ended.
        if found is not None:
            found.close()
        found = preparers[ident] = Preparer(lane)
    return found


def end():
    found = preparers.pop(threading.get_ident(), None)
    if found is not None:
        found.close()
        if not control.off:
            now = monotonic_ns()
            found.write_slowest(now)
            process.sample(found.lane, now, last=True)


def _forget():
    global timing, asked
    timing = asked = None
    for found in preparers.values():
        found.close()
    preparers.clear()


session.on_fork(_forget)


class _Pace:
    """When to time the next batch of a loader operator by operator, and when to read its CPU time."""

    def __init__(self):
        self.stride = 1
        self.until_timed = 0
        self.events_per_element = 8.0
        self.cpu_stride = 1
        self.timed = 0


class Preparer:
    # As slots they are read faster than from a dictionary: some of them ten times per batch.
    __slots__ = (
        "lane ident is_worker is_over is_redacted task prepare chains operators clock pace paces seed fetcher is_measured "
        "is_timed is_by_item is_batched clocks index element events extend files loads is_ready is_plain start collating ended "
        "count collate_fn collate spent queued size measured slowest written written_last steps elements_end aside"
    ).split()

    def __init__(self, lane):
        self.lane = lane
        process.begin(lane)
        self.ident = threading.get_ident()
        self.is_worker = False
        self.is_over = False
        self.is_redacted = facts.is_redacted()
        self.task = 0
        self.prepare = lane.number("prepare")
        self.chains = {}
        self.operators = {}
        #: Operators that are transforms: how each is called, and whether it holds others.
        self.steps = {}
        self.clock = QueueClock(lane.tid)
        self.pace = _Pace()
        self.paces = {}
        self.seed = os.getpid() | 1
        # The batch under way: who fetches it, and what is measured of it beside its times.
        self.fetcher = None
        self.is_measured = self.is_timed = False
        self.clocks = None
        self.element = 0
        self._clear(None)
        # Its times, its elements and their collation; ready where all of that is known, plain where there is no more.
        self.is_ready = self.is_plain = False
        self.start = self.collating = self.ended = self.count = 0
        self.collate_fn = None
        self.collate = 0
        self.spent = self.queued = 0
        self.size = None
        self.measured = 0
        # The slowest elements so far: duration, start, task, name. Those that still are get written now and then.
        self.slowest = []
        self.written = set()
        self.written_last = 0

    def pace_of(self, loader):
        """A thread without workers prepares for several loaders."""
        pace = self.paces.get(loader)
        if pace is None:
            pace = self.paces[loader] = _Pace()
        return pace

    def operator(self, name, kind, location=None):
        """The number of an operator in this lane."""
        number = self.operators.get(name)
        if number is None:
            number = self.operators[name] = self.lane.number("operator:" + name)
            if number > 0xFFFF:
                raise OverflowError("more operators than a record has numbers for")
            traits = step_traits.of(name, kind)
            facts.say(self.lane, {"operator": name, "kind": kind, "location": location, "traits": traits})
        return number

    def name_collation(self, function):
        self.collate_fn = function
        self.collate = self.operator(facts.class_name(function), "collate", facts.location_of_code(function))

    def chain(self, holder, steps):
        """Numbers of the operators in a holder's list of transforms."""
        known = self.chains.get(id(holder))
        # An id may come back, and a list may be changed.
        if known is not None and len(known[0]) == len(steps) and all(map(is_, known[0], steps)):
            return known[1]
        if len(self.chains) >= MOST_CHAINS:
            self.chains.clear()
        seen = {}
        numbers = []
        for step in steps:
            name = facts.class_name(step)
            seen[name] = seen.get(name, 0) + 1
            if seen[name] > 1:
                name = "%s#%d" % (name, seen[name])
            code = getattr(type(step), "forward", None) or getattr(type(step), "__call__", None)
            location = facts.location_of_code(code) or facts.location_of_code(step)
            numbers.append(self.operator(name, "transform", location))
            self.steps[numbers[-1]] = facts.class_name(step), facts.holds_others(step)
        self.chains[id(holder)] = (list(steps), numbers)
        return numbers

    def opened(self, file):
        """The element under way is made from this file."""
        if not self.is_redacted:
            name = file if isinstance(file, (str, os.PathLike)) else getattr(file, "name", None)
            self.files.append((monotonic_ns(), name))

    def turn_to_next(self):
        """A worker begins a batch: what is to be measured of it."""
        pace = self.pace
        pace.until_timed -= 1
        self.is_timed = pace.until_timed < 0
        self.is_measured = self.task % pace.cpu_stride == 0

    def start_measuring(self):
        self.clocks = thread_time_ns(), self.clock.read()

    def stop_measuring(self, data):
        self.spent = thread_time_ns() - self.clocks[0]
        self.queued = max(0, self.clock.read() - self.clocks[1])
        self.size = sizes.bytes_of(data) if sizes.is_due(self.measured) else None
        self.measured += 1

    def is_at_work(self):
        return self.fetcher is not None and not self.is_ready

    def start_timing(self, index):
        global timing
        self._clear(index)
        timing = self

    def _clear(self, index):
        self.index = index
        self.is_by_item = self.is_batched = False
        self.events = []
        self.extend = self.events.extend
        #: Where those inside the collation begin, and operators that ran in other threads: name, kind, location, start, end.
        self.elements_end = 0
        self.aside = []
        self.files = []
        self.loads = []

    def stop_timing(self):
        global timing
        timing = None

    def close(self):
        self.is_over = True
        self.clock.close()

    def write_batch(self):
        lane, task = self.lane, self.task
        sequence = task << 32
        subject = self.prepare | sequence
        if self.is_timed:
            beside = [span for span in map(self._place_aside, self.aside) if span is not None]
            self.write_elements()
            for number, start, end in beside:
                lane.span(number, task, start, end)
            self.index = None
        lane.span(self.collate, task, self.collating, self.ended)
        if self.is_timed and self.elements_end < len(self.events):
            inner = [span for _, *span in ended(self.events[self.elements_end :])]
            self._write_inner(self.collating, inner, sequence)
        lane.span(self.prepare, task, self.start, self.ended)
        duration = self.ended - self.start
        if self.is_measured:
            lane.words.extend((self.spent, self.queued | CPU, subject))
            # On a busy machine much of the time is waiting for a core, which no element is to blame for. The kernel's account
            # of that comes late at times, and may exceed the batch's own time.
            duration = max(self.spent, duration - self.queued)
        lane.words.extend((self.count, 1 | ELEMENTS, subject))
        if self.is_measured and self.size is not None:
            lane.words.extend((0, min(self.size, MAX_U48) | BYTES, subject))
        self.plan(duration)

    def write_now_and_then(self, now):
        if now - self.written_last > WRITE_NS:
            self.write_slowest(now)
            process.sample(self.lane, now)

    def plan(self, duration):
        """Of the batch that is ready: how many like it to pass over before one is timed, or its CPU time is read."""
        pace, count, is_timed = self.pace, self.count, self.is_timed
        pace.cpu_stride = stride_of(duration)
        if count == 0:
            return
        if is_timed:
            pace.timed += 1
            pace.events_per_element = max(1.0, len(self.events) / 2 / count)
            duration = max(1000.0 * count, duration - pace.events_per_element * EVENT_NS * count)
        wanted = (pace.events_per_element * EVENT_NS * count + BATCH_NS) / (BUDGET * max(1.0, duration))
        pace.stride = min(MAX_STRIDE, int(wanted + 0.999))
        if is_timed and pace.stride > 1 and pace.timed >= FIRST_TIMED:
            # Not every n-th: what comes in turns would then be seen once or always.
            self.seed = self.seed * 1103515245 + 12345 & 0x7FFFFFFF
            pace.until_timed = pace.stride // 2 + (self.seed >> 8) % pace.stride
        elif not is_timed:
            # One batch that seemed cheap must not put the next timed one far off.
            pace.until_timed = min(pace.until_timed, 2 * pace.stride)

    def _place_aside(self, operator):
        """Gives one back that ran beside others, which no element can hold."""
        name, kind, location, start, end = operator
        number = self.operator(name, kind, location)
        before = len(self.events)
        if not insert(self.events, number, start, end):
            return number, start, end
        if start < self.collating:
            self.elements_end += len(self.events) - before
        return None

    def write_elements(self):
        """Turns the events of a batch into spans: one per element, and inside it one per operator, two to a record."""
        sequence = self.task << 32
        out = self.lane.words
        inner = []
        position = 0
        for depth, operator, start, end in ended(self.events[: self.elements_end]):
            if depth > 0:
                inner.append((operator, start, end))
                continue
            out.extend((start, min(end - start, MAX_U48) | SPAN, operator | sequence))
            self._write_inner(start, inner, sequence)
            inner = []
            if len(self.slowest) < SLOWEST or end - start > self.slowest[0][0]:
                self._keep_slow(position, start, end)
            position += 1

    def _write_inner(self, origin, inner, sequence):
        """Operators inside the span from `origin` that was just written."""
        out = self.lane.words
        short = [(start - origin, end - start, operator) for operator, start, end in inner if end - origin <= MAX_U32]
        pairs = iter(short + [(0, 0, 0)] * (len(short) % 2))
        for first, second in zip(pairs, pairs):
            out.extend((first[0] | first[1] << 32, second[0] | first[2] << 32 | INNER, second[1] | second[2] << 32))
        for operator, start, end in inner if len(short) < len(inner) else ():
            if end - origin > MAX_U32:
                out.extend((start, min(end - start, MAX_U48) | SPAN, operator | sequence))

    def _keep_slow(self, position, start, end):
        name = None
        indices = self.index
        for moment, file in self.files:
            if start <= moment <= end:
                name = file
        if name is None and indices is not None and position < len(indices):
            index = indices[position]
            # How others are written is the program's own function.
            name = "#%s" % (index,) if type(index).__module__ in ("builtins", "numpy") else None
        if name is None:
            return
        element = (end - start, start, self.task, str(name))
        if len(self.slowest) < SLOWEST:
            heappush(self.slowest, element)
        else:
            heapreplace(self.slowest, element)

    def write_slowest(self, now):
        self.written_last = now
        for element in self.slowest:
            if element not in self.written:
                duration, start, task, name = element
                self.lane.span(self.lane.number("element:" + name), task, start, start + duration)
        self.written = set(self.slowest)
