"""A collector that dies, stops or is slow: the program goes on, and every loss is reported."""

import pytest

from sleuth.record.collector import GIVEN_UP
from sleuth.trace.events import EventKind
from sleuth.trace.store.check import missing
from tests.record.collecting import with_collector
from tests.record.conftest import name_of
from tests.record.test_ends import finished

pytestmark = pytest.mark.finds_collector

PATIENCE = 10
"""Seconds that the recorder waits for a heartbeat."""


def test_a_dead_collector_is_noticed_at_once(record, tmp_path):
    run = record(
        with_collector(
            tmp_path / "1.trace",
            """
        os.kill(pid, signal.SIGKILL)
        while not is_dead(pid): time.sleep(0.01)
        def f(n): return n
        times = [time.monotonic()]
        for i in range(600_000):
            f(i)
            if i % 1000 == 0: times.append(time.monotonic())
        import colorsys
        times.append(time.monotonic())
        print(longest(times))
        """,
        ),
        timeout=120,
    )
    assert run.process.returncode == 0
    assert float(run.process.stdout) < PATIENCE * 0.8
    assert "the trace is incomplete" in run.process.stderr


@pytest.mark.slow
def test_the_threads_go_on_while_the_collector_stands_still(record, tmp_path):
    run = record(
        with_collector(
            tmp_path / "1.trace",
            """
        ticks = []
        def tick():
            while True:
                time.sleep(0.1)
                ticks.append(time.monotonic())
        threading.Thread(target=tick, daemon=True).start()
        def f(n): return n
        while len(ticks) < 2: time.sleep(0.05)
        os.kill(pid, signal.SIGSTOP)
        for i in range(400_000): f(i)
        ticks.append(time.monotonic())
        os.kill(pid, signal.SIGCONT)
        print(longest(ticks), ticks[-1] - ticks[0])
        """,
        ),
        timeout=120,
    )
    gap, whole = map(float, run.process.stdout.split())
    assert whole > PATIENCE, "the collector was given up too soon"
    assert gap < PATIENCE * 0.8, "a thread stood still"
    assert "the trace is incomplete" in run.process.stderr
    trace = finished(run.path)
    assert trace.meta["complete"] is False
    assert trace.meta["failure"] == GIVEN_UP
    assert any(GIVEN_UP in line for line in missing(trace))
    assert 0 < trace.call_count < 400_000


@pytest.mark.slow
def test_a_slow_collector_is_waited_for_and_nothing_is_lost(record, tmp_path):
    run = record(
        with_collector(
            tmp_path / "1.trace",
            """
        def f(thread, n): return n
        def work(thread):
            for i in range(100_000):
                f(thread, i)
                if i == thread * 30_000:
                    os.kill(pid, signal.SIGSTOP)
                    go_on_after(2)
        threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
        for each in threads: each.start()
        for each in threads: each.join()
        """,
        ),
        options=("--calls-only",),
        timeout=120,
    )
    assert run.process.returncode == 0
    trace = run.trace
    assert trace.meta["complete"] is True
    seen: dict[int, list[int]] = {0: [], 1: [], 2: []}
    for event in trace.events(0, trace.event_count, kind=EventKind.ENTER):
        if name_of(trace, event.number) == "f":
            thread, number = (value.content for value in event.values)
            seen[thread].append(number)
    assert all(numbers == list(range(100_000)) for numbers in seen.values())


@pytest.mark.slow
def test_the_threads_run_while_the_collector_is_asked_about_a_module(record, tmp_path):
    (tmp_path / "work" / "late.py").write_text("def made(): return 3\n")
    run = record(
        with_collector(
            tmp_path / "1.trace",
            """
        os.kill(pid, signal.SIGSTOP)
        go_on_after(3)
        def load():
            import late
            late.made()
        ticks = [time.monotonic()]
        loading = threading.Thread(target=load)
        loading.start()
        while loading.is_alive():
            time.sleep(0.05)
            ticks.append(time.monotonic())
        print(longest(ticks), ticks[-1] - ticks[0])
        """,
        ),
        timeout=60,
    )
    gap, whole = map(float, run.process.stdout.split())
    assert gap < whole * 0.8
    assert "made" in [name for name, _ in run.calls()]


def test_many_threads_that_ask_at_once_get_their_own_answers(record, tmp_path):
    for number in range(24):
        (tmp_path / "work" / f"late{number}.py").write_text(
            f"def made{number}(): return {number}\nRESULT = made{number}()\n"
        )
    run = record(
        """
        import importlib, threading, time
        def load(n):
            module = importlib.import_module(f"late{n}")
            assert module.RESULT == n
            return module.RESULT
        threads = [threading.Thread(target=load, args=(n,)) for n in range(24)]
        for each in threads: each.start()
        for each in threads: each.join()
        print("done")
        """
    )
    assert run.process.stdout == "done\n"
    assert run.process.stderr.count("Traceback") == 0
    names = [name for name, _ in run.calls()]
    assert all(f"made{number}" in names for number in range(24))
