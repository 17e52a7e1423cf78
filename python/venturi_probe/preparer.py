"""What one thread does to make batches: a DataLoader worker, or the main thread where there are no workers."""

import os
import threading
from heapq import heappush, heapreplace
from time import monotonic_ns, thread_time_ns

from . import control, facts, process, session, sizes
from .lane import BYTES, CPU, ELEMENTS, INNER, MAX_U32, MAX_U48, SPAN

#: Marks in the events of a batch. An operator's number begins it; END ends the innermost; NEXT + number does both.
END = 0
NEXT = 1 << 20

#: Share of an element's time that timing it may cost, and what one event costs until it is written, ns.
BUDGET = 0.01
EVENT_NS = 800
#: Batches cheaper than this, in ns, have their CPU time read one time in CPU_STRIDE.
CHEAP_NS = 2_000_000
CPU_STRIDE = 8
MAX_STRIDE = 256
#: Batches that are timed whatever it costs, so that a short run has figures too.
FIRST_TIMED = 4
MOST_CHAINS = 256
SLOWEST = 8
WRITE_NS = 500_000_000

#: Preparers by thread, and the one whose batch is being timed operator by operator.
_preparers = {}
timing = None


def of_this_thread():
    return _preparers.get(threading.get_ident())


def all_of_them():
    return list(_preparers.values())


def begin(lane_name):
    found = _preparers.get(threading.get_ident())
    if found is None:
        found = Preparer(session.lane(lane_name))
        _preparers[threading.get_ident()] = found
    return found


def end():
    found = _preparers.pop(threading.get_ident(), None)
    if found is not None:
        found.close()
        if not control.off:
            now = monotonic_ns()
            found.write_slowest(now)
            process.sample(found.lane, now, last=True)


def _forget():
    global timing
    timing = None
    for found in _preparers.values():
        found.close()
    _preparers.clear()


session.on_fork(_forget)


class _Pace:
    """When to time the next batch of a loader operator by operator, and how cheap its batches are."""

    def __init__(self):
        self.stride = 1
        self.until_timed = 0
        self.events_per_element = 8.0
        self.is_cheap = False
        self.timed = 0


class Preparer:
    def __init__(self, lane):
        self.lane = lane
        process.begin(lane)
        self.ident = threading.get_ident()
        self.is_worker = False
        self.is_over = False
        self.is_redacted = facts.is_redacted()
        self.task = 0
        self.busy = False
        self.prepare = lane.number("prepare")
        self.chains = {}
        self.operators = {}
        self.schedule = _open_schedstat(lane.tid)
        # The batch being timed.
        self.events = []
        self.append = self.events.append
        self.files = []
        self.pace = _Pace()
        self.paces = {}
        self.seed = os.getpid() | 1
        # The slowest elements so far: duration, start, task, name. Those that still are get written now and then.
        self.slowest = []
        self.written = set()
        self.written_last = 0

    def turn_to(self, loader):
        """The next batch is for this loader: a thread without workers prepares for all of them."""
        pace = self.paces.get(loader)
        if pace is None:
            pace = self.paces[loader] = _Pace()
        self.pace = pace

    def operator(self, name, kind, location=None):
        """The number of an operator in this lane."""
        number = self.operators.get(name)
        if number is None:
            number = self.operators[name] = self.lane.number("operator:" + name)
            if number > 0xFFFF:
                raise OverflowError("more operators than a record has numbers for")
            facts.say(self.lane, {"operator": name, "kind": kind, "location": location})
        return number

    def chain(self, holder, steps):
        """Numbers of the operators in a holder's list of transforms."""
        known = self.chains.get(id(holder))
        # The same objects, compared by identity first: an id may come back, and a list may be changed.
        if known is not None and known[0] == steps:
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
        self.chains[id(holder)] = (list(steps), numbers)
        return numbers

    def opened(self, file):
        """The element under way is made from this file."""
        if not self.is_redacted:
            name = file if isinstance(file, (str, os.PathLike)) else getattr(file, "name", None)
            self.files.append((len(self.events), name))

    def is_timed(self):
        """Whether the next batch's elements are timed one by one. Its time as a whole always is."""
        pace = self.pace
        pace.until_timed -= 1
        return pace.until_timed < 0

    def is_at_work(self):
        return self.busy

    def start_timing(self):
        global timing
        self.events = []
        self.append = self.events.append
        self.files = []
        timing = self

    def stop_timing(self):
        global timing
        timing = None

    def close(self):
        self.is_over = True
        if self.schedule >= 0:
            os.close(self.schedule)
            self.schedule = -1

    def delay(self):
        """ns this thread has queued for a core."""
        if self.schedule < 0:
            return 0
        return int(os.pread(self.schedule, 80, 0).split()[1])

    def clocks(self):
        """CPU time of this thread and its time in the queue for a core; None where reading them would cost too much."""
        if self.pace.is_cheap and self.task % CPU_STRIDE:
            return None
        return thread_time_ns(), self.delay()

    def prepared(self, start, clocks, collate, count, indices, timed, data):
        """A batch is ready: `start` and `clocks` are from its beginning, `collate` is the span of its collation."""
        now = monotonic_ns()
        lane = self.lane
        sequence = self.task << 32
        subject = self.prepare | sequence
        queued = spent = 0
        if timed:
            self.write_elements(indices)
        if collate is not None:
            number, began, ended = collate
            lane.words.extend((began, min(ended - began, MAX_U48) | SPAN, number | sequence))
        duration = min(now - start, MAX_U48)
        if clocks is None:
            lane.words.extend((start, duration | SPAN, subject, count, 1 | ELEMENTS, subject))
        else:
            spent, queued = thread_time_ns() - clocks[0], max(0, self.delay() - clocks[1])
            lane.words.extend(
                (start, duration | SPAN, subject, spent, queued | CPU, subject, count, 1 | ELEMENTS, subject)
            )
        if sizes.is_due(self.task):
            lane.words.extend((0, min(sizes.bytes_of(data), MAX_U48) | BYTES, subject))
        # On a busy machine much of the time is waiting for a core, which no element is to blame for. The kernel's account of
        # that comes late at times and may exceed the batch's own time.
        self.plan(max(spent, duration - queued), count, timed)
        if now - self.written_last > WRITE_NS:
            self.write_slowest(now)
            process.sample(lane, now)

    def plan(self, duration, count, timed):
        pace = self.pace
        pace.is_cheap = duration < CHEAP_NS
        if count == 0:
            return
        if timed:
            pace.timed += 1
            pace.events_per_element = max(1.0, len(self.events) / 2 / count)
            element = max(1000.0, duration / count - pace.events_per_element * EVENT_NS)
        else:
            element = max(1.0, duration / count)
        wanted = pace.events_per_element * EVENT_NS / (BUDGET * element)
        pace.stride = min(MAX_STRIDE, int(wanted + 0.999))
        if timed and pace.stride > 1 and pace.timed >= FIRST_TIMED:
            # Not every n-th: what comes in turns would then be seen once or always.
            self.seed = self.seed * 1103515245 + 12345 & 0x7FFFFFFF
            pace.until_timed = pace.stride // 2 + (self.seed >> 8) % pace.stride
        elif not timed:
            # One batch that seemed cheap must not put the next timed one far off.
            pace.until_timed = min(pace.until_timed, 2 * pace.stride)

    def write_elements(self, indices):
        """Turns the events of a batch into spans: one per element, and inside it one per operator, two to a record."""
        lane, task = self.lane, self.task
        sequence = task << 32
        out = lane.words
        stack = []
        inner = []
        position = 0
        events = iter(self.events)
        at = 0
        began = 0
        for code, moment in zip(events, events):
            at += 2
            if code == END or code > NEXT:
                if not stack:
                    continue
                operator, start = stack.pop()
                if stack:
                    inner.append((operator, start, moment))
                else:
                    out.extend((start, min(moment - start, MAX_U48) | SPAN, operator | sequence))
                    self._write_inner(out, start, inner, sequence)
                    inner = []
                    duration = moment - start
                    if len(self.slowest) < SLOWEST or duration > self.slowest[0][0]:
                        self._keep_slow(position, began, at, start, moment, indices)
                    position += 1
                if code > NEXT:
                    stack.append((code - NEXT, moment))
            else:
                if not stack:
                    began = at
                stack.append((code, moment))
        # What an exception left open is not written: it has no end.

    def _write_inner(self, out, origin, inner, sequence):
        short = []
        for operator, start, end in inner:
            if end - origin > MAX_U32:
                continue
            short.append((start - origin, end - start, operator))
        for i in range(0, len(short) - 1, 2):
            first, second = short[i], short[i + 1]
            out.extend(
                (first[0] | first[1] << 32, second[0] | first[2] << 32 | INNER, second[1] | second[2] << 32)
            )
        if len(short) % 2:
            last = short[-1]
            out.extend((last[0] | last[1] << 32, last[2] << 32 | INNER, 0))
        if len(short) < len(inner):
            for operator, start, end in inner:
                if end - origin > MAX_U32:
                    out.extend((start, min(end - start, MAX_U48) | SPAN, operator | sequence))

    def _keep_slow(self, position, began, ended, start, end, indices):
        name = None
        for place, file in self.files:
            if began <= place < ended:
                name = file
        if name is None and indices is not None and position < len(indices):
            name = "#%s" % (indices[position],)
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


def _open_schedstat(tid):
    try:
        return os.open("/proc/self/task/%d/schedstat" % tid, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return -1
