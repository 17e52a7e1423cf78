"""Batches of a pipeline, pass by pass."""

import json
import os
import threading
import warnings

from .engine import CLOSED, Engine
from .failure import PipelineError, PipelineWarning
from .options import mapping, whole
from .slots import Slots
from .tensors import decode

#: Slots for each core: as many as the engine uses with a thread for every core, two and two more in all. They hold nothing until then.
_SLOTS_PER_CORE = 2
_MORE_SLOTS = 2


class Batches:
    """The batches of a pipeline file; each iteration is one pass over it.

    A typed array is a tensor, arrays of equal ones are stacked into one, objects are dicts, arrays lists, texts and numbers what they are.

    params      parameters of the pipeline, by name
    set         settings of its operators: {"decode.parallelism": 4}
    plan        file with a plan of `venturi tune`; cache_folder, max_lanes: what that may ask for
    epochs      passes in all; None for as many as are asked for, with the next one begun while the last is consumed
    memory      bytes of elements under way in the engine
    seed        seed of all random numbers
    record      folder to record the run into, for `venturi diagnose`
    borrow      True: a batch is the caller's until the next one only, and then changes. Otherwise it stays what it is
    slots       most batches in shared memory; slots_bytes: most bytes of all together
    folder      where they lie: None for memory that belongs to no folder (Linux), or a folder
    inline      everything in one thread of the engine, for a debugger
    """

    def __init__(
        self,
        pipeline,
        *,
        params=None,
        set=None,
        plan=None,
        cache_folder=None,
        max_lanes=None,
        epochs=None,
        memory=None,
        seed=None,
        record=None,
        borrow=False,
        slots=None,
        slots_bytes=None,
        folder=None,
        inline=False
    ):
        options = {
            "--plan": plan,
            "--cache-folder": cache_folder,
            "--max-lanes": max_lanes,
            "--memory": memory if memory is None or isinstance(memory, str) else "%dB" % whole("memory", memory),
            "--record": record,
        }
        self._arguments = [os.fspath(pipeline)]
        for name, value in options.items():
            if value is not None:
                self._arguments += [name, os.fspath(value) if hasattr(value, "__fspath__") else str(value)]
        for name, value in mapping("params", params).items():
            self._arguments += ["--param", "%s=%s" % (name, _text(value))]
        for name, value in mapping("set", set).items():
            self._arguments += ["--set", "%s=%s" % (name, value)]
        if inline:
            self._arguments.append("--inline")
        self._epochs = None if epochs is None else whole("epochs", epochs, 1)
        self._seed = None if seed is None else whole("seed", seed)
        self._borrow = borrow
        self._slots = _SLOTS_PER_CORE * (os.cpu_count() or 1) + _MORE_SLOTS if slots is None else whole("slots", slots)
        self._slots_bytes = None if slots_bytes is None else whole("slots_bytes", slots_bytes)
        self._folder = None if folder is None else os.fspath(folder)
        self._engine = None
        self._passes = 0
        #: Token of the pass under way; None between two. The pass itself refers to this object, and must not be held by it.
        self._pass = None
        self._is_asked = False
        self._length = None

    def __iter__(self):
        if self._pass is not None or self._is_forked():
            # It was left before its end, and what is under way belongs to it; or all of it belongs to the process this one is forked from.
            self.close()
        if self._passes == self._epochs:
            raise PipelineError(
                "VENTURI_USAGE",
                "all %d passes were taken" % self._epochs,
                "ask for more by epochs=, or leave that out for as many as are iterated over",
            )
        self._passes += 1
        self._pass = object()
        return _Pass(self, self._pass)

    def __len__(self):
        """Batches of a pass, known from the first one that came to its end."""
        if self._length is None:
            raise TypeError("the number of batches is known after the first pass")
        return self._length

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the engine. Tensors stay what they are, and another iteration starts it anew."""
        engine, self._engine, self._pass, self._is_asked = self._engine, None, None, False
        if engine is not None:
            engine.close()

    def _is_forked(self):
        return self._engine is not None and self._engine.owner != os.getpid()

    def _next(self, token, taken):
        """The next batch of a pass and its lease; (None, END) at its end, behind so many."""
        if self._pass is not token:
            raise RuntimeError(CLOSED)
        try:
            if self._engine is None:
                self._start(token)
            batch, lease = self._batch(self._engine)
            if lease is END:
                self._length = taken
                self._pass = None
                if self._passes == self._epochs:
                    self._finish(self._engine)
            return batch, lease
        except BaseException:
            # A conversation that was interrupted cannot be taken up again. Another thread may have begun the next one.
            if self._pass is token:
                self.close()
            raise

    def _start(self, token):
        arguments = list(self._arguments)
        before = self._passes - 1
        if self._epochs is not None:
            arguments += ["--epochs", str(self._epochs - before)]
        if self._seed is not None or before > 0:
            # Each pass of a run draws other random numbers. So does the first pass of another run.
            arguments += ["--seed", str((self._seed or 0) + before)]
        engine = Engine(arguments, Slots(self._slots, self._folder, self._slots_bytes))
        if self._pass is not token:
            # They were closed meanwhile, by another thread or a signal's handler.
            engine.close()
            raise RuntimeError(CLOSED)
        self._engine = engine

    def _batch(self, engine):
        released = engine.slots.released
        done = [released.popleft() for _ in range(len(released))]
        if not self._is_asked:
            engine.send(b"n", {"released": done})
        elif done:
            engine.send(b"r", {"released": done})
        self._is_asked = True
        while True:
            letter, text = engine.receive()
            if letter == b"b":
                self._is_asked = False
                return _decoded(engine, text)
            if letter == b"e":
                return None, END
            _heed(engine, letter, text)

    def _finish(self, engine):
        """Takes what is said of a run at its end."""
        letter = b""
        try:
            while letter != b"x":
                letter, text = engine.receive()
                _heed(engine, letter, text)
        finally:
            self.close()


#: In the place of a lease: there is no batch, the pass is over.
END = object()


def _heed(engine, letter, text):
    if letter == b"o":
        engine.slots.forget_names()
    elif letter == b"w":
        warnings.warn(json.loads(text)["message"], PipelineWarning, stacklevel=5)
    elif letter == b"f":
        failure = json.loads(text)
        raise PipelineError(failure["code"], failure["message"], failure.get("remedy"), failure.get("frames", ()))


def _decoded(engine, text):
    size, slot = _place(text)
    if slot is None:
        return decode(text, engine.receive_bytes(size) if size else b""), None
    memory, lease = engine.slots.lend(slot, size)
    return decode(text, memory), lease


class _Pass:
    """One pass. It keeps what it is a pass of alive: a loop over `venturi.batches(…)` needs no name for that."""

    def __init__(self, batches, token):
        self._batches = batches
        self._token = token
        #: By thread: what a thread was lent, it has until it asks again.
        self._lent = threading.local()
        self._taken = 0
        self._owner = os.getpid()
        #: Threads that share a pass get their batches one after the other.
        self._turn = threading.Lock()

    def __iter__(self):
        return self

    def __next__(self):
        if self._owner != os.getpid():
            raise PipelineError(
                "VENTURI_USAGE",
                "this pass belongs to process %d, from which this one was forked" % self._owner,
                "iterate over the batches anew in the forked process: that starts an engine of its own",
            )
        with self._turn:
            return self._take()

    def _take(self):
        if self._batches is None:
            raise StopIteration
        lent, self._lent.lease = getattr(self._lent, "lease", None), None
        if lent is not None:
            # Lent until now only; where its tensors are gone already, this does nothing.
            lent()
        batch, lease = self._batches._next(self._token, self._taken)
        if lease is END:
            self._batches = None
            raise StopIteration
        if self._batches._borrow:
            self._lent.lease = lease
        self._taken += 1
        return batch


def _place(text):
    """(bytes, slot) of a batch. They stand at its beginning, before much that only the decoder reads."""
    head = json.loads(text[: text.index(b',"batch":')] + b"}")
    return head["bytes"], head["slot"]


def _text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
