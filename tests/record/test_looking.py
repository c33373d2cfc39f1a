"""Looking at objects is limited by a credit, whatever part of them is looked at.

No time is measured here: the recorder counts the items that it looks at.  Times are taken by
bench/growth.py.
"""

from pathlib import Path

import pytest

from sleuth.trace.events import EventKind

PARTS = Path(__file__, "../../../bench/programs/parts.py").resolve()
COUNT = 5_000
MOST = 800
"""The most items per step; a step that looked at all objects so far would need 2,500 or more."""


def names() -> list[str]:
    lines = PARTS.read_text(encoding="utf-8").splitlines()
    functions = [line.split("(")[0][4:] for line in lines if line.startswith("def ")]
    return [name for name in functions if name != "given"]


@pytest.mark.slow
@pytest.mark.parametrize("part", names())
def test_how_much_is_looked_at_grows_with_the_steps_of_the_program(record, part):
    if part in ("numpy_array", "data_frame"):
        pytest.importorskip("numpy" if part == "numpy_array" else "pandas")
    run = record(PARTS.read_text(encoding="utf-8"), part, str(COUNT), timeout=120)
    assert run.process.returncode == 0, run.process.stderr
    assert run.trace.meta["looked_items"] < MOST * COUNT
    assert run.path.stat().st_size < 100 * COUNT + 500_000


def test_what_could_not_be_paid_for_says_that_it_is_not_known(record):
    run = record("""
        class K: pass
        def f(k): return k
        k = K()
        for i in range(3000):
            setattr(k, f"a{i}", i)
            f(k)
    """)
    trace = run.trace
    last = [*trace.calls()][-1]
    shape = trace.shape(trace.arguments(last)[0], last.last)
    assert shape is not None
    assert not shape.is_sure


@pytest.mark.slow
def test_an_object_that_is_found_unchanged_later_is_sure_again_without_a_change(record):
    run = record("""
        import json
        def f(k): return k
        def change(big):
            big[5] = "new"
            json.dumps(1)
            f(big)
        big = list(range(200_000))
        f(big)
        for _ in range(20):
            json.dumps(1)
            f(big)
        for i in range(600_000): pass    # credit grows with the trace
        change(big)
    """)
    trace = run.trace
    call = next(call for name, call in run.calls() if name == "change")
    shape = trace.shape(trace.arguments(call)[0], call.last)
    assert shape is not None
    assert shape.is_sure
    assert list(trace.events(0, trace.event_count, kind=EventKind.CHANGED)) == []
