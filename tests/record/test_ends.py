"""However a run ends, the trace has all complete events and says how the run ended."""

import random
import signal
import subprocess
import sys
import time

import pytest

import sleuth
from sleuth.trace.events import EventKind
from tests.effort import share

COUNTING = """
    import os, mmap
    shared = mmap.mmap(os.open("count", os.O_RDWR), 8)
    def step(n): return n
    n = 0
    while True:
        step(n)
        shared[:8] = n.to_bytes(8, "little")
        n += 1
"""


def finished(path, seconds=20):
    """Wait until the collector has written the end."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if path.exists():
            try:
                trace = sleuth.open(path).trace
            except sleuth.SleuthError:
                time.sleep(0.05)
                continue
            if not trace.is_running:
                return trace
        time.sleep(0.05)
    raise AssertionError("the trace was not finished")


@pytest.mark.slow
def test_twenty_kills_lose_nothing_that_was_complete(tmp_path, environment):
    (tmp_path / "prog.py").write_text("\n".join(line[4:] for line in COUNTING.splitlines()))
    for turn in range(share(20, 6)):
        (tmp_path / "count").write_bytes(bytes(8))
        path = tmp_path / f"{turn}.trace"
        process = subprocess.Popen(
            [sys.executable, "-m", "sleuth", "record", "--quiet", "--output", path, "prog.py"],
            cwd=tmp_path,
            env=environment,
        )
        while int.from_bytes((tmp_path / "count").read_bytes(), "little") == 0:
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(random.random() * 0.2)
        process.kill()
        process.wait()
        known = int.from_bytes((tmp_path / "count").read_bytes(), "little")
        trace = finished(path)
        returned = [
            event.values[0].content
            for event in trace.events(0, trace.event_count, kind=EventKind.RETURN)
        ]
        assert returned == list(range(len(returned)))
        assert returned[-1] >= known, "a step that the program had finished is missing"
        assert trace.ending["how"] in ("killed", "vanished")
        if trace.ending["how"] == "killed":
            assert trace.ending["signal"] == signal.SIGKILL


@pytest.mark.parametrize(
    ("code", "status", "ending"),
    [
        ("pass", 0, {"how": "exited", "status": 0}),
        ("import sys; sys.exit(3)", 3, {"how": "exited", "status": 3}),
        ("import signal, sys; sys.exit(signal.SIGINT)", 2, {"how": "exited", "status": 2}),
        ("raise SystemExit('words')", 1, {"how": "exited", "status": 1}),
        ("1 / 0", 1, {"how": "exited", "status": 1}),
        ("import os; os._exit(7)", 7, {"how": "exited", "status": 7, "by": "os._exit"}),
        (
            "import os; os.execv('/bin/sh', ['sh', '-c', 'exit 4'])",
            4,
            {"how": "replaced", "by": "exec"},
        ),
    ],
)
def test_the_exit_status_is_kept_and_told(record, code, status, ending):
    run = record(code)
    assert run.process.returncode == status
    assert dict(finished(run.path).ending) == ending


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGABRT, signal.SIGSEGV])
def test_a_deadly_signal_stays_one(record, number):
    run = record(f"""
        import os, faulthandler
        def before(): return 1
        before()
        os.kill(os.getpid(), {int(number)})
    """)
    assert run.process.returncode == -number
    trace = finished(run.path)
    assert trace.ending["how"] in ("killed", "vanished")
    assert [trace.function(call.function).name for call in trace.calls()] == ["<module>", "before"]
    assert trace.call(0).outcome.value == "unfinished"


def test_an_interrupt_ends_the_program_as_it_does_plain(record, plain):
    run = record("""
        import os, signal
        print("go", flush=True)
        os.kill(os.getpid(), signal.SIGINT)
        while True: pass
    """)
    assert run.process.returncode == -signal.SIGINT == plain().returncode
    assert run.process.stderr.splitlines()[:4] == plain().stderr.splitlines()[:4]


def test_a_program_can_be_read_while_it_runs(tmp_path, environment):
    (tmp_path / "prog.py").write_text(
        "def f(n): return n\nfor i in range(100): f(i)\nprint('ready', flush=True)\ninput()\n"
    )
    path = tmp_path / "a.trace"
    process = subprocess.Popen(
        [sys.executable, "-m", "sleuth", "record", "--quiet", "--output", path, "prog.py"],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    limit = time.monotonic() + 10
    count = 0
    while count < 101 and time.monotonic() < limit:
        trace = sleuth.open(path).trace
        count = trace.call_count
        assert trace.is_running
        time.sleep(0.05)
    assert count == 101
    process.communicate("\n")
    assert not finished(path).is_running


def test_a_forked_child_is_listed_and_disturbs_nothing(record, plain):
    run = record("""
        import os, sys
        def f(n): return n
        children = []
        for i in range(10):
            pid = os.fork()
            if pid == 0:
                f(i); sys.exit(i)
            children.append(pid)
        f(99)
        print([os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children])
        print(children, file=open("pids", "w"))
    """)
    assert run.process.stdout == plain().stdout == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
    assert [name for name, _ in run.calls()] == ["<module>", "f"]
    assert len(run.trace.processes) == 10


def test_a_subprocess_is_listed_with_its_pid(record):
    run = record("""
        import subprocess, sys
        child = subprocess.Popen([sys.executable, "-c", "print(1)"])
        child.wait()
        print(child.pid)
    """)
    pid = int(run.process.stdout.split()[-1])
    assert [child.pid for child in run.trace.processes] == [pid]
    assert run.trace.processes[0].how in ("subprocess", "spawn")


def test_the_collector_is_no_child_and_no_thread_of_the_program(record):
    run = record("""
        import os, threading, warnings
        warnings.simplefilter("error")
        print(len(os.listdir("/proc/self/task")), threading.active_count())
        try: os.waitpid(-1, os.WNOHANG)
        except ChildProcessError: print("no child")
        if os.fork() == 0: os._exit(0)
        os.wait()
    """)
    assert run.process.stdout == "1 1\nno child\n"
    assert run.process.returncode == 0


def test_no_file_stays_open_in_the_program(record, plain):
    run = record("import os; print(sorted(os.listdir('/proc/self/fd')))")
    assert run.process.stdout == plain().stdout


def test_recording_stops_at_the_largest_size_and_the_program_goes_on(record):
    run = record(
        """
        import random
        def f(a, b): return a * b
        for i in range(600_000): f(random.random(), random.random())
        print("done")
    """,
        options=("--max-size", "200K"),
    )
    assert run.process.stdout == "done\n"
    assert "recording stopped early: the trace reached --max-size" in run.process.stderr
    trace = run.trace
    assert [stop.reason for stop in trace.stops] == ["the trace reached its largest size"]
    assert trace.meta["complete"] is False
    assert 0 < trace.call_count < 600_000


@pytest.mark.finds_collector
def test_the_program_goes_on_when_the_collector_dies(record, tmp_path):
    run = record(
        """
        import os, signal
        def collector():
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try: words = open(f"/proc/{pid}/cmdline").read().split("\\0")
                except OSError: continue
                if TRACE in " ".join(words) and int(pid) != os.getpid():
                    return int(pid)
        pid = collector()
        os.kill(pid, signal.SIGKILL)
        def f(n): return n
        total = 0
        for i in range(3_000_000): total += f(i)
        print(total)
    """.replace("TRACE", repr(str(tmp_path / "1.trace"))),
        timeout=120,
    )
    assert run.process.returncode == 0
    assert run.process.stdout == "4499998500000\n"
    assert "the trace is incomplete" in run.process.stderr


def test_closed_descriptors_and_other_files_at_stderr_are_left_alone(record, tmp_path):
    run = record("""
        import os
        os.closerange(3, 100)
        target = os.open("errors", os.O_CREAT | os.O_WRONLY)
        os.dup2(target, 2)
        def f(): return 1
        f()
    """)
    assert (tmp_path / "work" / "errors").read_bytes() == b""
    assert [name for name, _ in run.calls()] == ["<module>", "f"]
    assert run.process.returncode == 0


def test_what_happens_at_exit_is_recorded(record):
    run = record("""
        import atexit
        def bye(): print("bye")
        atexit.register(bye)
        class D:
            def __del__(self): print("gone")
        d = D()
    """)
    assert [name for name, _ in run.calls()] == ["<module>", "D", "bye", "D.__del__"]


def test_an_exit_that_is_refused_is_no_end(record):
    run = record("""
        import os
        for wrong in [(1, 2), (2**80,), ("x",)]:
            try: os._exit(*wrong)
            except (TypeError, OverflowError): pass
        def after(): return 5
        after()
    """)
    assert [name for name, _ in run.calls()] == ["<module>", "after"]
    assert run.trace.ending == {"how": "exited", "status": 0}
