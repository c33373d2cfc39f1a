"""Runs commands of Sleuth quickly: a process that has loaded Sleuth forks for each of them.

Starting an interpreter and importing Sleuth takes most of the time of a short command, and the
tests run about a thousand.  What a command does is the same: a recorded program gets a new
interpreter in any case.  Tests about the start itself use `subprocess`.
"""

import gc
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

_LONGEST_INPUT = 60_000
"""The bytes that a pipe takes without a reader."""
_LONGEST_REQUEST = 200_000
_HARMLESS = {"PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONMALLOC", "PYTHONUNBUFFERED"}
"""Variables that change nothing in the commands of Sleuth, only in the recorded program."""


def ran(
    words: Sequence[str],
    *,
    python: Sequence[str] = (),
    is_anew: bool = False,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    text: str | None = None,
    timeout: float = 120,
) -> subprocess.CompletedProcess[str]:
    """Run `sleuth` with some words, as `subprocess.run` would; without a text, it has no input.

    With options for its interpreter, or if `is_anew`, a new interpreter is started.
    """
    env = dict(os.environ if env is None else env)
    command = [sys.executable, *python, "-m", "sleuth", *words]
    if is_anew or python or not _is_usual(env):
        return subprocess.run(
            command,
            cwd=cwd,
            env=env,
            input=text or "",
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    request = json.dumps([list(words), str(cwd or Path.cwd()), env]).encode()
    assert len(request) < _LONGEST_REQUEST
    out, out_end = os.pipe()
    errors, errors_end = os.pipe()
    given = _input(text)
    server, _ = _server()
    socket.send_fds(server, [request], [given, out_end, errors_end])
    for each in (given, out_end, errors_end):
        os.close(each)
    process = int(server.recv(100))
    try:
        read = _read(out, errors, time.monotonic() + timeout)
        status = int(server.recv(100))
    except BaseException:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        _end_server()  # else the next command would read the status of this one
        raise
    printed, complained = (each.decode().replace("\r\n", "\n") for each in read)
    return subprocess.CompletedProcess(command, status, printed, complained)


def _is_usual(env: Mapping[str, str]) -> bool:
    """Tell whether nothing in an environment changes how the interpreter of Sleuth starts."""
    ours = {name for name in env if name.startswith("PYTHON")} - _HARMLESS
    if env.get("PYTHONIOENCODING") == "utf-8":
        ours.discard("PYTHONIOENCODING")
    places = ("LANG", "LC_ALL", "LC_CTYPE")
    return not ours and all(env.get(name) == os.environ.get(name) for name in places)


def _input(text: str | None) -> int:
    if text is None:
        return os.open(os.devnull, os.O_RDONLY)
    encoded = text.encode()
    assert len(encoded) < _LONGEST_INPUT
    reading, writing = os.pipe()
    os.write(writing, encoded)
    os.close(writing)
    return reading


def _read(out: int, errors: int, end: float) -> tuple[bytes, bytes]:
    """Read both streams to their ends."""
    read: dict[int, bytes] = {out: b"", errors: b""}
    with selectors.DefaultSelector() as waiting:
        for each in read:
            waiting.register(each, selectors.EVENT_READ)
        while waiting.get_map():
            ready = waiting.select(max(end - time.monotonic(), 0))
            if not ready:
                for left in waiting.get_map().values():
                    os.close(left.fd)
                raise AssertionError(f"the command takes too long: {read}")
            for key, _ in ready:
                assert isinstance(key.fileobj, int)
                part = os.read(key.fileobj, 1 << 16)
                read[key.fileobj] += part
                if not part:
                    waiting.unregister(key.fileobj)
                    os.close(key.fileobj)
    return read[out], read[errors]


@cache
def _server() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Start the process that forks; it ends when the tests end."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    process = subprocess.Popen(
        [sys.executable, __file__, str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        env=plain | {"OPENBLAS_NUM_THREADS": "1"},  # threads don't survive a fork
    )
    theirs.close()
    return ours, process


def _end_server() -> None:
    """Forget the process that forks; the next command starts another."""
    ours, process = _server()
    _server.cache_clear()
    ours.close()
    process.kill()
    process.wait()


def _serve(requests: socket.socket) -> list[str] | None:
    """Fork for each request; returns the words of a command in the new process, None at the end."""
    while True:
        request, given, _, _ = socket.recv_fds(requests, _LONGEST_REQUEST, 3)
        if not request:
            return None
        process = os.fork()
        if not process:
            requests.close()
            words, folder, env = json.loads(request)
            _become(given, folder, env)
            return list(words)
        for each in given:
            os.close(each)
        requests.send(b"%d" % process)
        _, status = os.waitpid(process, 0)
        requests.send(b"%d" % os.waitstatus_to_exitcode(status))


def _become(given: Sequence[int], folder: str, env: Mapping[str, str]) -> None:
    """Take over the streams, the folder and the environment of a request."""
    for stream, each in enumerate(given):
        os.dup2(each, stream)
        os.close(each)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.stdin = os.fdopen(0, encoding=sys.stdin.encoding)
    sys.stdout = os.fdopen(1, "w", encoding=sys.stdout.encoding)
    sys.stderr = os.fdopen(2, "w", 1, encoding=sys.stderr.encoding, errors="backslashreplace")


def _main() -> None:
    del sys.path[0]  # as `python -m sleuth` does
    from sleuth.views import cli  # noqa: PLC0415 - the tests themselves load it when they need it

    for module, _, _ in cli.COMMANDS.values():
        import_module(module)
    gc.freeze()
    words = _serve(socket.socket(fileno=int(sys.argv[1])))
    if words is not None:
        sys.orig_argv[:] = [sys.executable, "-m", "sleuth", *words]
        sys.argv[:] = [str(Path(cli.__file__).parents[1] / "__main__.py"), *words]
        try:
            cli.entry()
        except SystemExit as end:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(end.code if isinstance(end.code, int) else 1)  # tidying up takes longer


if __name__ == "__main__":
    _main()
