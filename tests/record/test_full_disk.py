"""A full disk: the program is unharmed; the trace is readable and says that it is incomplete."""

import subprocess
import sys
from contextlib import contextmanager

import pytest

from sleuth.trace.reader import Trace
from sleuth.trace.store.check import check, missing
from sleuth.views.cli import main
from sleuth.views.drawing.styled import counted
from tests.record.collecting import with_collector
from tests.record.conftest import name_of

CALLS = 40_000
WORK = """
import random
random.seed(1)
def f(n, a): return n
def work(first, last):
    for n in range(first, last): f(n, random.random())
"""


def is_sound_up_to_somewhere(path, process):
    """Check that the recorded calls of f are the first ones, without gaps."""
    trace = Trace(path)
    assert check(path).problems == ()
    numbers = [
        getattr(trace.arguments(call)[0], "content", None)
        for call in trace.calls()
        if name_of(trace, call.function) == "f"
    ]
    assert numbers == list(range(len(numbers)))
    told = process.stderr.splitlines()[0]
    calls, events = counted(trace.call_count, "call"), counted(trace.event_count, "event")
    assert told.startswith(f"sleuth: {calls}, {events} in")
    return trace, len(numbers)


def says_so(trace, path, capsys):
    """Check that the trace says that something is missing, and so do show and doctor."""
    lines = [line for line in missing(trace) if "could not be" in line or "could not say" in line]
    assert lines
    for command in ("show", "doctor"):
        main([command, str(path)])
        assert lines[0] in " ".join(capsys.readouterr().out.split())
    assert trace.is_running or trace.meta["complete"] is False


@pytest.mark.slow
@pytest.mark.finds_collector
@pytest.mark.parametrize("before", [0, CALLS // 2])
@pytest.mark.parametrize("size", [0, 41_000, 100_000, 400_000, 700_000, 1_000_000])
def test_a_limit_on_the_size_of_files(record, tmp_path, capsys, size, before):
    run = record(
        with_collector(
            tmp_path / "1.trace",
            f"""{WORK}
import resource
work(0, {before})
resource.prlimit(pid, resource.RLIMIT_FSIZE, ({size}, {size}))
work({before}, {CALLS})
print("done")
""",
        )
    )
    assert (run.process.returncode, run.process.stdout) == (0, "done\n")
    trace, _ = is_sound_up_to_somewhere(run.path, run.process)
    assert "the trace is incomplete" in run.process.stderr
    says_so(trace, run.path, capsys)


@contextmanager
def small_disk(folder, size):
    """Make a disk of so many kilobytes in memory, or skip the test."""
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}k", "sleuth-test", str(folder)]
    try:
        made = subprocess.run(words, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount")
    if made.returncode:
        pytest.skip("disks can't be made here")
    try:
        yield folder
    finally:
        # On a slow machine the collector may still have the trace open.
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


LAUNCH = """
import sys
from sleuth.record import collector, launch
collector.LEAST_FREE = launch.LEAST_FREE = 0  # else it ends well before the disk is full
launch.main(sys.argv[1:])
"""


@pytest.mark.slow
@pytest.mark.parametrize("size", [90, 300, 1100, 1500, 1800, 2400, 8000])
def test_a_disk_that_is_full_for_real(tmp_path, environment, capsys, size):
    (tmp_path / "prog.py").write_text(f"{WORK}\nwork(0, {CALLS})\nprint('done')\n")
    with small_disk(tmp_path / "disk", size) as disk:
        path = disk / "a.trace"
        process = subprocess.run(
            [sys.executable, "-c", LAUNCH, "--output", path, "prog.py"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (process.returncode, process.stdout) == (0, "done\n")
        trace, count = is_sound_up_to_somewhere(path, process)
        if trace.meta.get("complete"):
            assert size > 2000
            assert count == CALLS
        else:
            assert size < 8000
            assert "the trace is incomplete" in process.stderr
            says_so(trace, path, capsys)
        if size >= 1500:
            assert trace.ending == {"how": "exited", "status": 0}, "there was room for last words"
