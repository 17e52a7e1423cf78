"""The process that runs a pipeline, and the conversation with it: frames of a letter, a length and a JSON text."""

import errno
import json
import os
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import weakref

from .failure import PipelineError

PROTOCOL = 1
#: What a pass is told that somebody has ended.
CLOSED = "another iteration over the same batches has begun, or they were closed"
_HEAD = struct.Struct("<cI")

#: Seconds between two looks at whether a process that has not called yet still lives.
_LOOK = 0.1
#: Seconds that a run has to end in good order. The engine itself leaves functions behind that do not return for five.
_PATIENCE = 8

#: Why the system does not start a program that is there.
_REFUSALS = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)


def command():
    """How the command line is started: as VENTURI_COMMAND says, from the package this file belongs to, from PATH, or by npx."""
    try:
        given = shlex.split(os.environ.get("VENTURI_COMMAND", ""))
    except ValueError as error:
        raise PipelineError("VENTURI_USAGE", "VENTURI_COMMAND cannot be read: %s" % error, "quote it as a shell would have it") from error
    if given:
        return given
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    own = os.path.join(package, "dist", "cli", "main.js")
    node = shutil.which("node")
    if node and os.path.exists(own):
        return [node, own]
    installed = shutil.which("venturi")
    if installed:
        return [installed]
    npx = shutil.which("npx")
    if npx:
        return [npx, "--no-install", "venturi"]
    raise PipelineError(
        "VENTURI_PROGRAM_NOT_FOUND",
        "the command line of Venturi was not found: neither venturi nor npx is on PATH",
        "install Node and Venturi, or set VENTURI_COMMAND to what starts it: VENTURI_COMMAND='node /path/dist/cli/main.js'",
    )


class Engine:
    """A pipeline that runs. `arguments`: of `venturi batches`. The slots become its own."""

    def __init__(self, arguments, slots):
        self.slots = slots
        if not hasattr(socket, "AF_UNIX"):
            slots.close()
            raise PipelineError("VENTURI_USAGE", "this system has no Unix sockets", "use Linux or macOS, or WSL on Windows")
        folder, listener, process = None, None, None
        try:
            try:
                folder = tempfile.mkdtemp(prefix="venturi-")
                path = os.path.join(folder, "socket")
                listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                listener.bind(path)
            except OSError as error:
                raise PipelineError(
                    "VENTURI_USAGE",
                    "no socket can be made in %s: %s" % (folder or "a temporary folder", error),
                    "set TMPDIR to a folder with a short path that can be written to, and allow more open files where it says so (ulimit -n)",
                ) from error
            listener.listen(1)
            process = _start(command() + ["batches"] + arguments + ["--socket", path])
            self._socket = _called(listener, process)
        except BaseException:
            if process is not None:
                _kill(process)
            slots.close()
            raise
        finally:
            if listener is not None:
                listener.close()
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
        self._process = process
        #: The process it belongs to: one that is forked has the same socket, and would take batches away from it.
        self.owner = os.getpid()
        self._reader = self._socket.makefile("rb", 1 << 16)
        #: Ends it with this object, or with the interpreter. Not in a process that was forked: the engine is its parent's.
        self._end = weakref.finalize(self, _end, self.owner, self._socket, self._reader, process, slots)
        self.send(b"h", {"protocol": PROTOCOL, "pid": self.owner, "slots": slots.paths, "budgetBytes": slots.budget})

    def send(self, letter, message):
        text = json.dumps(message).encode()
        try:
            self._socket.sendall(_HEAD.pack(letter, len(text)) + text)
        except OSError:
            pass  # It has ended; what it said last is still to be read.

    def receive(self):
        """(letter, text) of what it says next."""
        letter, length = _HEAD.unpack(self.receive_bytes(_HEAD.size))
        return letter, bytes(self.receive_bytes(length))

    def receive_bytes(self, size):
        """So many bytes, in memory of their own."""
        whole = bytearray(size)
        view = memoryview(whole)
        at = 0
        while at < size:
            try:
                count = self._reader.readinto(view[at:])
            except (ConnectionError, ValueError):
                count = 0  # Cut off by the other side; or closed by another thread of this one.
            if not count:
                raise self._died()
            at += count
        return whole

    def _died(self):
        if not self._end.alive:
            return RuntimeError(CLOSED)
        try:
            status = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            status = None
        self.close()
        how = "exit code %s" % status if status is None or status >= 0 else "signal %s" % signal.Signals(-status).name
        return PipelineError(
            "VENTURI_ENGINE_DIED",
            "the process that runs the pipeline ended in the middle of its work (%s)" % how,
            "see what it said on standard error; where memory ran out, allow it more, or ask for less",
        )

    def close(self):
        self._end()


def _start(arguments):
    try:
        # A session of its own: Ctrl-C is for the program, which then ends the engine.
        return subprocess.Popen(arguments, stdin=subprocess.DEVNULL, start_new_session=True)
    except OSError as error:
        if error.errno in _REFUSALS:
            raise PipelineError(
                "VENTURI_PROGRAM_FAILED",
                "%s cannot be started: %s" % (shlex.join(arguments[:1]), error),
                "allow this program more open files, processes or memory (ulimit -a tells its limits)",
            ) from error
        raise PipelineError(
            "VENTURI_PROGRAM_NOT_FOUND",
            "%s cannot be started: %s" % (shlex.join(arguments[:1]), error),
            "install Node and Venturi, or set VENTURI_COMMAND to what starts it",
        ) from error


def _called(listener, process):
    listener.settimeout(_LOOK)
    while True:
        try:
            connection, _ = listener.accept()
        except socket.timeout:
            if process.poll() is None:
                continue
            raise PipelineError(
                "VENTURI_PROGRAM_FAILED",
                "the command line of Venturi ended with exit code %s before it ran the pipeline" % process.returncode,
                "see what it said on standard error; VENTURI_COMMAND says what is started",
            ) from None
        connection.settimeout(None)
        return connection


def _end(owner, connection, reader, process, slots):
    if os.getpid() != owner:
        return
    try:
        # The other side learns of it at once, also where a forked process holds a copy of this end.
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    try:
        reader.close()
    except RuntimeError:
        pass  # A signal's handler ends it while it is read from: that comes to its end now, and the reader goes with its object.
    connection.close()
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        _kill(process)
    slots.close()


def _kill(process):
    """The process and what it started: it leads a group of its own."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
