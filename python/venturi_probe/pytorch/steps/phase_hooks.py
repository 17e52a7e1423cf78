"""Where phases of a step show: patches of torch, applied while a step is watched, and no longer."""

import sys
from functools import partial
from threading import get_ident

from ...hooking.patches import Attribute
from ...recording import control

_OPTIMIZER = "Optimizer.step#"
_ZEROING = "Optimizer.zero_grad#"

#: The step that is watched; there is one at a time in a process.
step = None
#: In every program, and in those that compute on a CUDA device.
_everywhere = []
_on_device = []
#: Those that are in their place now.
_put = []
#: Where the compiler says that it begins; None before there is one, or where it does not say.
_compilations = None


class _Seen:
    """Stands in a class for a method. Whoever looks it up on an object, in order to call it, begins a phase.

    `name_of` gives the phase from the object; None where it is none.
    """

    def __init__(self, original, name_of):
        self.original = original
        self.name_of = name_of

    def __get__(self, owner, kind=None):
        found = self.original.__get__(owner, kind)
        return found if owner is None else _begun(found, self.name_of, owner)


class _Engine:
    """Stands for autograd's engine, which `backward` and `grad` of tensors and of torch.autograd all call."""

    def __init__(self, original):
        self._original = original

    @property
    def run_backward(self):
        return _begun(self._original.run_backward, _backward, self)

    def __getattr__(self, name):
        return getattr(self._original, name)


def _begun(call, name_of, owner):
    """`call`, or where this thread's step is watched something that does the same and ends the phase with it."""
    if step is None or step.ident != get_ident():
        return call
    try:
        name = name_of(owner)
        return call if name is None else step.begin(name, call)
    except Exception as error:
        control.fail(error)
        return call


def _backward(_):
    return "backward"


def _forward(module):
    # A compiled module holds the one that was written.
    inner = module.__dict__.get("_modules", {}).get("_orig_mod", module)
    return "forward:" + type(inner).__name__


def _recorded(scope):
    """An optimizer names its work for profilers, `Optimizer.step#SGD.step`, whatever else was put around it."""
    name = scope.name
    if name.startswith(_OPTIMIZER):
        return "optimizer:" + name[len(_OPTIMIZER) :].rsplit(".", 1)[0]
    return "zero-grad" if name.startswith(_ZEROING) else None


def _copied(tensor):
    """Of tensors on the host. Subclasses may answer what they like, and are not asked."""
    return "copy" if type(tensor) is sys.modules["torch"].Tensor and not tensor.is_cuda else None


def _find(torch):
    scope, tensor = torch.autograd.profiler.record_function, torch.Tensor
    _everywhere.extend(
        (
            Attribute(torch.nn.Module, "__call__", lambda call: _Seen(call, _forward)),
            # A `with` looks it up when it begins, and lets it go when it has called it.
            Attribute(scope, "__exit__", lambda leave: _Seen(leave, _recorded)),
            Attribute(torch.autograd.Variable, "_execution_engine", _Engine),
        )
    )
    # These two are inherited, from a class that takes no attributes.
    _on_device.extend(
        Attribute(tensor, name, lambda _, method=getattr(tensor, name): _Seen(method, _copied)) for name in ("to", "cuda")
    )


def can_watch():
    """Who follows every call would follow ours, and a compiler must be heard when it begins to read the program."""
    if sys.gettrace() is not None or sys.getprofile() is not None or _is_monitored():
        return False
    return "torch._dynamo" not in sys.modules or (_compilations is not None and _is_passed_over())


def _is_monitored():
    """By a debugger, a profiler or a measure of coverage, in Python 3.12 and newer."""
    monitoring = getattr(sys, "monitoring", None)
    return monitoring is not None and any(map(monitoring.get_tool, range(6)))


def put(watched):
    global step
    if not _everywhere:
        _find(sys.modules["torch"])
    step = watched
    _put.extend(_everywhere)
    if watched.cuda is not None:
        _put.extend(_on_device)
        _Hush.put()
    for patch in _put:
        patch.put()


def take():
    global step
    if step is not None:
        step = None
        while _put:
            _put.pop().take()
        _Hush.take()


def _end():
    take()
    if _compilations is not None and _compiling in _compilations.start_callbacks:
        _compilations.remove_start_callback(_compiling)


control.on_end(_end)


class _Hush:
    """A device that failed says so at every call, ours at the end of a phase too. The program hears it at its own next one."""

    before = None

    @classmethod
    def put(cls):
        cls.before, sys.unraisablehook = sys.unraisablehook, cls.hear

    @classmethod
    def take(cls):
        if sys.unraisablehook == cls.hear:
            sys.unraisablehook = cls.before

    @classmethod
    def hear(cls, failure):
        if not (type(failure.object) is partial and failure.object.func is next):
            cls.before(failure)


def hook_compiler(module):
    """torch._dynamo.callback: called when a compilation begins, in the midst of a step perhaps."""
    global _compilations
    _compilations = module.callback_handler
    _compilations.register_start_callback(_compiling)


def _compiling(_):
    # It reads the program as it is, and not what stands in its place meanwhile.
    if step is not None:
        step.is_dropped = True
        take()


_passed_over = set()


def _is_passed_over():
    """Inside what it compiled in parts, a compiler looks at every function that is called: not at these."""
    if _compiling not in _compilations.start_callbacks:
        # The program had it forget everything.
        _compilations.register_start_callback(_compiling)
        _passed_over.clear()
    if not _passed_over:
        skip = getattr(sys.modules.get("torch._dynamo.eval_frame"), "skip_code", None)
        if skip is None:
            return False
        for function in (_Seen.__get__, _Engine.run_backward.fget, _Engine.__getattr__, _begun, _backward, _forward, _recorded, _copied):
            skip(function.__code__)
            _passed_over.add(function.__code__)
    return True
