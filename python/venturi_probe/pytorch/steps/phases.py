"""What the consumer does with a batch: copy to the device, forward, backward, optimizer. Of some steps only.

A step begins when its thread gets a batch and ends when it asks any loader for the next. For a step that is watched, the
hooks of `phase_hooks` are put in place, and taken away with it: other steps pay nothing. Which steps those are is drawn so
that watching costs less than BUDGET of all of them, by what it was seen to cost.
"""

from functools import partial
from itertools import repeat, starmap
from threading import get_ident
from time import monotonic_ns
from weakref import ref

from ...recording import control, session
from . import phase_hooks
from .device import BUDGET, MOST_PENDING, cuda_in_use, leave_to_parent

#: Steps of an iterator that are left alone: what is made at first use is made in them.
FIRST = 2
MAX_STRIDE = 1 << 16
#: The most that are passed over while it is not known how long a step takes the device: the host may be through long before.
UNKNOWN_STRIDE = 8
#: Cost of attribute caches that hooks in a class invalidated, ns.
UNSEEN_NS = 50_000

#: By loader, ns of the last step that the device has come to the end of.
_on_device = {}
#: Iterators with steps that the device has not come to the end of yet.
_lagging = set()


def _forget():
    leave_to_parent(phase_hooks.step, *_lagging)
    _lagging.clear()
    phase_hooks.take()


def _finish():
    phase_hooks.take()
    for steps in list(_lagging):
        steps.collect()


session.on_fork(_forget)
session.on_close(_finish)


def asked(now):
    """This thread asks for a batch: the step before is over."""
    step = phase_hooks.step
    if step is not None and step.ident == get_ident():
        phase_hooks.take()
        if not control.off:
            step.steps.end(step, now)


def _device():
    """torch.cuda where it can be asked. A device that failed says so at every call, ours too: the program hears it at its own."""
    try:
        return cuda_in_use()
    except Exception:
        return None


class PhasedSteps:
    """The steps of one iterator over a loader."""

    def __init__(self, lane, loader, iterator):
        self.lane = lane
        self.loader = loader
        #: Dead once the loop was left: what its thread did since is no step.
        self.iterator = iterator
        self.until_watched = FIRST
        self.seed = 1
        self.pending = []

    def begin(self, number, asked, now):
        """The consumer got the batch it asked for. To be called when `until_watched` has come to 0."""
        if phase_hooks.step is None and len(self.pending) < MOST_PENDING and phase_hooks.can_watch():
            step = Step(self, number, asked, _device())
            phase_hooks.put(step)
            step.start = monotonic_ns()
            step.cost = step.start - now

    def end(self, step, now):
        on_device = _on_device.get(self.loader, 0)
        lasted = max(1, now - step.asked, on_device)
        if self.iterator() is not None and not step.is_dropped:
            step.close(now)
            self.pending.append(step)
            _lagging.add(self)
        self.collect()
        step.cost += monotonic_ns() - now + UNSEEN_NS
        most = UNKNOWN_STRIDE if step.marks is not None and not on_device else MAX_STRIDE
        stride = min(most, int(step.cost / (BUDGET * lasted)))
        # Not every n-th: what comes in turns, such as gradients that are gathered, would be seen always or never.
        self.seed = self.seed * 1103515245 + 12345 & 0x7FFFFFFF
        self.until_watched = stride // 2 + (self.seed >> 8) % (stride + 1)

    def collect(self):
        while self.pending and self.pending[0].is_done():
            step = self.pending.pop(0)
            _on_device[self.loader] = step.write(self.lane, self.loader)
        if not self.pending:
            _lagging.discard(self)


class Marks:
    """Two events in the device's stream, at the begin of something and at its end."""

    def __init__(self, cuda):
        self.first, self.last = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        stream = cuda.current_stream()
        # Of the class below torch's own, which is written in C.
        record = getattr(super(type(self.last), self.last), "record", self.last.record)
        #: Asked for its next, it puts the second.
        self.ending = starmap(record, repeat((stream,)))
        self.first.record(stream)

    def after(self, other):
        """ns from the begin of another to the begin of this one."""
        return int(other.first.elapsed_time(self.first) * 1e6)

    def lasted(self):
        return max(0, int(self.first.elapsed_time(self.last) * 1e6))


class Phase:
    __slots__ = ("name", "marks", "start", "ends", "call")

    def __init__(self, name, marks):
        self.name = name
        self.marks = marks
        self.start = 0
        #: When it ended, once it has.
        self.ends = []
        self.call = None

    def ending(self):
        """An iterator: asked for its next, it ends the phase, all of it in C."""
        end = map(self.ends.append, iter(monotonic_ns, None))
        return end if self.marks is None else zip(end, self.marks.ending)


class Step:
    def __init__(self, steps, number, asked, cuda):
        self.steps = steps
        self.number = number
        self.asked = asked
        self.start = 0
        self.ended = 0
        self.ident = get_ident()
        self.cuda = cuda
        self.cost = 0
        #: Something happened in it that happens in few.
        self.is_dropped = False
        self.phases = []
        #: The phases under way: an optimizer may be given a function that does the others, and nothing else holds one.
        self.optimizer = self.inner = None
        self.marks = self._mark()

    def _mark(self):
        """None without a device."""
        if self.cuda is None or _device() is None:
            return None
        try:
            return Marks(self.cuda)
        except Exception:
            self.cuda = None
            return None

    def begin(self, name, call):
        """`call`, or something that does the same and ends the phase with it."""
        inner, optimizer = self.inner, self.optimizer
        is_optimizer = name.startswith("optimizer")
        if (inner is not None and not inner.ends) or (is_optimizer and optimizer is not None and not optimizer.ends):
            return call
        start = monotonic_ns()
        phase = Phase(name, self._mark())
        # No frame of ours stands around the call, and no code in Python runs at its end: a Ctrl-C that has come during it
        # would be raised there, where nobody hears it. What ends the phase is that nothing holds `timed` any more.
        timed = partial(call)
        phase.call = ref(timed, partial(next, phase.ending()))
        self.phases.append(phase)
        if is_optimizer:
            self.optimizer = phase
        else:
            self.inner = phase
        phase.start = monotonic_ns()
        self.cost += phase.start - start
        return timed

    def close(self, now):
        self.ended = now
        for phase in self.phases:
            phase.call = None
        try:
            if self.marks is not None and self.cuda is not None and cuda_in_use() is not None:
                self.marks.last.record()
                return
        except Exception:
            pass
        self.marks = None

    def is_done(self):
        """Whether the device has come to its end; nobody waits for it."""
        try:
            return self.marks is None or self.marks.last.query()
        except Exception:
            self.marks = None
            return True

    def write(self, lane, loader):
        """Gives how long it took the device, in ns."""
        spans = [("step:" + loader, self.start, self.ended - self.start)]
        for phase in self.phases:
            end = phase.ends[0] if phase.ends else self.ended
            spans.append(("phase:" + phase.name, phase.start, end - phase.start))
        on_device = []
        try:
            on_device = self._on_device(loader)
        except (RuntimeError, ValueError):
            # The program went over to another device in between.
            pass
        for key, start, lasted in spans + on_device:
            lane.span(lane.number(key), self.number, start, start + lasted)
        return on_device[0][2] if on_device else 0

    def _on_device(self, loader):
        if self.marks is None:
            return []
        spans = [("device-step:" + loader, self.start, self.marks.lasted())]
        for phase in self.phases:
            if phase.marks is not None and phase.ends:
                start = self.start + phase.marks.after(self.marks)
                spans.append(("device-phase:" + phase.name, start, phase.marks.lasted()))
        return spans
