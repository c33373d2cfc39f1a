"""The collector process: it takes segments from the ring, rewrites modules, and writes the trace.

It is detached by a double fork.  As a thread of the program it would make `os.fork` warn; as a
child of the program it would turn up in `os.wait`.
"""

import contextlib
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sleuth import _core
from sleuth.errors import SleuthError
from sleuth.record.announcements import Announcements
from sleuth.record.asked import Asked
from sleuth.record.keeping import Keeping, packed
from sleuth.record.memory import Ending, Field, Mail, Mailbox, Memory
from sleuth.record.places import FOLDER, new_file, test_name
from sleuth.record.reserve import Reserve
from sleuth.record.scope import Scope
from sleuth.record.service import PLAIN, Service
from sleuth.trace.store.writer import Writer
from sleuth.trace.values import escaped

STOP_SIZE, STOP_DISK, STOP_ERROR = 1, 2, 3
LEAST_FREE = 1 << 30
FLUSH_EVERY = 0.5
STACKS = (512 << 20, 64 << 20, 8 << 20)
"""Stack sizes for the collector's thread; a smaller one is tried if memory is limited."""
STACK_OF_A_CALL = 5 << 10
TAKEN = "taken"
GIVEN_UP = "the recorder stood still for 10 s, and the program went on without it"


@dataclass(frozen=True, slots=True)
class Order:
    """One recording: where the trace goes, what is recorded, and the limits."""

    output: Path | None
    """The trace's file; None: a trace for each test, named after the test."""
    folder: Path
    """The working folder of the program."""
    scope: Scope
    keeping: Keeping
    full: bool
    max_size: int
    meta: dict[str, object]


class Collector:
    """Serves one run, from its first event to the finished file."""

    def __init__(self, memory: Memory, pidfd: int, order: Order) -> None:
        self.memory = memory
        self.order = order
        self.output = order.output
        self.writer = Writer.create(order.output, order.meta) if order.output else None
        self.announcements = Announcements(self.writer)
        self.service = Service(self.announcements, order.scope, order.keeping, full=order.full)
        self.poll = select.poll()
        self.poll.register(pidfd, select.POLLIN)
        self.pidfd = pidfd
        self.taken = 0
        self.first_segment = 0
        """Number of the first segment of the present trace."""
        self.tests = 0
        self.test = ""
        self.flushed = (0, 0)
        self.next_flush = 0.0
        self.started = self.began = time.monotonic()
        self.counters = self._counters()
        self.children = 0
        self.stopped = 0
        self.failure = ""
        self.reserve = Reserve(order.output.parent if order.output else order.folder)
        self.place = _identity(order.output)
        """Device and inode of the trace's file, to notice that it was removed or replaced."""
        self.lost = 0
        """How many traces of tests were removed or moved before their test ended."""

    def serve(self) -> None:
        """Take segments and answer requests until the program has ended."""
        while True:
            bell = self.memory.word(Field.BELL)
            is_over = bool(self.poll.poll(0))
            self._take_segments()
            if self.memory.word(Field.MAIL_STATE) == Mailbox.REQUEST and self._answer():
                return
            if is_over:
                self._finish()
                return
            if time.monotonic() >= self.next_flush:
                self._take_part()
                self._check_room()
                self.next_flush = time.monotonic() + FLUSH_EVERY
            self.memory.wait_for_bell(bell, 50)

    # --- events

    def _take_segments(self) -> None:
        current, _ = self.memory.position
        while self.taken < current:
            self._write(self.taken, self.memory.segment(self.taken), closed=True)
            self.taken += 1
            self.memory.release(self.taken)
            self._check_room()
            current, _ = self.memory.position

    def _take_part(self) -> None:
        position = self.memory.position
        if position != self.flushed and position[0] == self.taken and position[1]:
            self._write(*_part(self.memory, position), closed=False)
            self.flushed = position

    def _write(self, number: int, data: bytes, *, closed: bool) -> None:
        if self.failure or self.writer is None:
            return
        try:
            self.writer.write_segment(number - self.first_segment, data, closed=closed)
        except Exception as error:  # noqa: BLE001 - the program must go on, whatever it is
            self._fail(f"the trace could not be written: {error}")

    def _fail(self, why: str) -> None:
        self.failure = self.failure or why
        self.reserve.let_go()
        self.memory.ask_to_stop(STOP_ERROR)

    def _check_room(self) -> None:
        if self.stopped or self.failure or self.output is None:
            return
        with contextlib.suppress(OSError):
            size = sum(
                os.stat(f"{self.output}{suffix}").st_size
                for suffix in ("", "-wal")
                if os.path.exists(f"{self.output}{suffix}")
            )
            disk = os.statvfs(self.output.parent)
            if size >= self.order.max_size:
                self.stopped = STOP_SIZE
            elif disk.f_bavail * disk.f_frsize < LEAST_FREE:
                self.stopped = STOP_DISK
        if self.stopped:
            self.memory.ask_to_stop(self.stopped)

    # --- questions

    def _answer(self) -> bool:
        """Answer the request in the mailbox; return whether it was the last one."""
        kind, parts = self.memory.question()
        if kind == Mail.FINISH:
            self.memory.answer(self._finish().encode("utf-8", "replace"))
            return True
        answer = PLAIN
        try:
            if kind in (Mail.TEST, Mail.TESTED):
                answer = b""
                answer = self._changed_trace(kind, parts[0].decode("utf-8", "replace"))
            else:
                answer = self._module_answer(kind, parts)
        except Exception as error:  # noqa: BLE001 - the program must go on, whatever it is
            self._fail(f"what the program asked could not be answered: {error}")
        if not self.memory.answer(answer):
            name, path = (part.decode("utf-8", "replace") for part in parts[:2])
            self.service.plain(name, path, "its rewritten code is too large")
        return False

    def _module_answer(self, kind: int, parts: list[bytes]) -> bytes:
        if kind == Mail.LOADED:
            texts = [part.decode("utf-8", "surrogateescape") for part in parts]
            return self.service.loaded(list(zip(texts[::2], texts[1::2], strict=True)))
        if kind == Mail.COMPILED:
            return self.service.compiled(Asked.unpacked(parts))
        name = parts[0].decode("utf-8", "surrogateescape")
        path = parts[1].decode("utf-8", "surrogateescape")
        if kind == Mail.PLAIN:
            return self.service.plain(name, path, parts[2].decode("utf-8", "replace"))
        return self.service.module(name, path, parts[2], for_pytest=kind == Mail.PYTEST)

    # --- a trace for each test

    def _changed_trace(self, kind: int, text: str) -> bytes:
        """End the trace of the present test; for the start of a test, begin its trace.

        Events between two tests are in no trace.  Return the new file's name, or nothing.
        """
        self._take_segments()
        outcome = text if kind == Mail.TESTED else "interrupted"
        self._end_test(outcome)
        self.flushed = (0, 0)
        self.first_segment = self.taken
        if kind == Mail.TESTED or self.order.output is not None:
            return b""
        self.output = new_file(test_name(text), self.order.folder)
        meta = {**self.order.meta, "test": {"id": text}, "part": self.tests + 1}
        meta["started"] = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        self.counters = self._counters()
        self.began = time.monotonic()
        self.writer = Writer.create(self.output, meta, is_hasty=True)
        self.place = _identity(self.output)
        self.announcements.move_to(self.writer)
        self.tests += 1
        self.test = text
        return self.output.name.encode()

    def _end_test(self, outcome: str) -> None:
        """Write into a test's trace how the test ended, and finish the trace."""
        if self.writer is None or self.order.output is not None:
            return
        writer, self.writer = self.writer, None
        self.announcements.move_to(None)
        with contextlib.suppress(Exception):
            writer.set_meta("test", {"id": self.test, "outcome": outcome})
            self._write_ending(writer, {"how": outcome})
        self.lost += self.place != _identity(self.output)

    # --- the end

    def _finish(self) -> str:
        """Write the rest of the events and the ending; return the lines for the user."""
        self._take_segments()
        position = self.memory.position
        if position[1]:
            self._write(*_part(self.memory, position), closed=True)
        if self.order.output is None:
            self._end_test("interrupted")
        elif self.writer is not None:
            with contextlib.suppress(Exception):
                self._write_ending(self.writer, self._ending())
        return self._summary()

    def _counters(self) -> dict[str, int]:
        """Return the counters that the program's process keeps in the shared memory."""
        return {
            "cut_values": self.memory.word(Field.CUT),
            "hidden_values": self.memory.word(Field.HIDDEN),
            "orphan_events": self.memory.word(Field.ORPHANS),
            "looked_items": self.memory.long(Field.LOOKED),
        }

    def _write_ending(self, writer: Writer, ending: dict[str, object]) -> None:
        if self.memory.word(Field.GONE):
            self.failure = self.failure or GIVEN_UP
        with writer.together():
            for pid in self.memory.forked_children()[self.children :]:
                writer.add_child(pid, "fork")
            writer.set_meta("seconds", round(time.monotonic() - self.began, 3))
            for name, count in self._counters().items():
                writer.set_meta(name, count - self.counters[name])
            writer.set_meta("unmatched_patterns", self.order.scope.unmatched())
            if self.failure:
                writer.set_meta("failure", self.failure)
            writer.set_meta("complete", not (self.failure or self.stopped))
        self.children = len(self.memory.forked_children())
        writer.finish(ending)

    def _ending(self) -> dict[str, object]:
        ending = self.memory.word(Field.ENDING)
        if ending == Ending.EXIT:
            return {"how": "exited", "status": self.memory.status}
        if ending == Ending.OS_EXIT:
            return {"how": "exited", "status": self.memory.status & 0xFF, "by": "os._exit"}
        if ending == Ending.EXEC:
            return {"how": "replaced", "by": "exec"}
        status = _core.exit_status(self.pidfd)
        if status is None:
            return {"how": "vanished"}
        if os.WIFSIGNALED(status):
            return {"how": "killed", "signal": os.WTERMSIG(status)}
        return {"how": "exited", "status": os.WEXITSTATUS(status), "by": "C code"}

    def _summary(self) -> str:
        seconds = time.monotonic() - self.started
        if self.order.output is None:
            lines = [f"{_counted(self.tests, 'test')} recorded in {seconds:.1f} s into {FOLDER}/"]
            if self.lost:
                lines.append(f"{self.lost:,} of the traces were removed or moved meanwhile")
        else:
            calls, events = self.writer.counts() if self.writer else (0, 0)
            counts = f"{_counted(calls, 'call')}, {_counted(events, 'event')} in {seconds:.1f} s"
            lines = [f"{counts} -> {_shown(self.order.output)}"]
            if self.place != _identity(self.order.output):
                lines.append("no trace is left: it was removed or moved while the program ran")
        if self.failure:
            lines.append(f"the trace is incomplete: {self.failure}")
        elif self.stopped == STOP_SIZE:
            lines.append("recording stopped early: the trace reached --max-size")
        elif self.stopped == STOP_DISK:
            lines.append("recording stopped early: less than 1 GB is free on the disk")
        hidden = self.memory.word(Field.HIDDEN)
        if hidden:
            names = f"names like {self.order.keeping.secrets[0]}"
            are = "is" if hidden == 1 else "are"
            lines.append(f"{_counted(hidden, 'value')} with {names} {are} hidden")
        if not self.service.recorded:
            lines.append("no module was recorded; see: sleuth show --modules, and --include")
        lines += [
            f"warning: pattern {text!r} matched no module" for text in self.order.scope.unmatched()
        ]
        return "".join(f"sleuth: {escaped(line)}\n" for line in lines)


def _part(memory: Memory, position: tuple[int, int]) -> tuple[int, bytes]:
    number, size = position
    return number, memory.segment(number, size)


def _identity(path: Path | None) -> tuple[int, int] | None:
    with contextlib.suppress(OSError):
        info = path.stat() if path else None
        return (info.st_dev, info.st_ino) if info else None
    return None


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _shown(path: Path) -> str:
    with contextlib.suppress(ValueError, OSError):
        return os.fspath(path.relative_to(Path.cwd()))
    return os.fspath(path)


# --- the process -----------------------------------------------------------------------------


def start(memory: Memory, order: Order) -> None:
    """Start the collector for this process.

    FileExistsError: the trace's file exists.  SleuthError: another reason; nothing was started.
    """
    kept = order.keeping
    memory.set_limits(kept.max_items, kept.max_text, kept.max_array_items)
    memory.set_secrets(packed(order.keeping.secrets))
    pidfd = os.pidfd_open(os.getpid())
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        _detached(lambda: _run(memory, pidfd, order, write_end))
    os.close(write_end)
    os.close(pidfd)
    os.waitpid(child, 0)
    with os.fdopen(read_end, "rb") as pipe:
        told = pipe.read().decode("utf-8", "replace")
    if told == TAKEN:
        raise FileExistsError(order.output)
    if told != "ready":
        raise SleuthError(told or "the collector could not be started")


def _detached(work: Callable[[], None]) -> None:
    """Do some work in a process of its own session whose parent has ended; does not return."""
    os.setsid()
    if os.fork():
        os._exit(0)
    status = 1
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(nothing, fd)
        for each in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
            signal.signal(each, signal.SIG_IGN)
        work()
        status = 0
    finally:
        os._exit(status)


def _run(memory: Memory, pidfd: int, order: Order, ready: int) -> None:
    memory.leave_will()
    # A long chain of operators is a deep syntax tree, and the compiler recurses over it.
    for stack in STACKS:
        sys.setrecursionlimit(stack // STACK_OF_A_CALL)
        threading.stack_size(stack)
        worker = threading.Thread(target=_serve, args=(memory, pidfd, order, ready))
        with contextlib.suppress(RuntimeError):
            worker.start()
            break
    threading.stack_size(1 << 20)
    threading.Thread(target=_beat, args=(memory,), daemon=True).start()
    worker.join()


def _serve(memory: Memory, pidfd: int, order: Order, ready: int) -> None:
    try:
        collector = Collector(memory, pidfd, order)
    except FileExistsError:
        os.write(ready, TAKEN.encode())
        os.close(ready)
        return
    except Exception as error:  # noqa: BLE001 - the launcher says it
        for suffix in ("", "-wal", "-shm", "-journal") if order.output else ():
            with contextlib.suppress(OSError):
                os.unlink(f"{order.output}{suffix}")  # an empty trace is of no use
        os.write(ready, str(error).encode("utf-8", "replace"))
        os.close(ready)
        return
    _close_other_files({memory.fd, pidfd, ready})
    os.write(ready, b"ready")
    os.close(ready)
    collector.serve()


def _close_other_files(kept: set[int]) -> None:
    """Close inherited pipes and sockets: a reader waits until all writers have closed them."""
    for name in os.listdir("/proc/self/fd"):
        fd = int(name)
        if fd > 2 and fd not in kept and _is_foreign(fd):
            with contextlib.suppress(OSError):
                os.close(fd)


def _is_foreign(fd: int) -> bool:
    """Tell whether a file was inherited from the program, and is not one of our database."""
    try:
        target = os.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        return False
    return target.startswith(("pipe:", "socket:", "/dev/pts", "/dev/tty"))


def _beat(memory: Memory) -> None:
    count = 0
    while True:
        count += 1
        memory.beat(count)
        time.sleep(0.1)
