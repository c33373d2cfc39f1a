"""The outcome of a call, on a part of a line."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.views.drawing.calls import came_of
from tests.recorded import call_of, recorded

PROGRAM = """
def evens(n):
    for i in range(n):
        yield 2 * i

def three():
    return 3

def fails():
    yield 1
    raise ValueError("no")

three()
list(evens(5))
list(evens(0))
left = evens(5)
next(left)
evens(1)
try:
    list(fails())
except ValueError:
    pass
"""


def test_of_a_generator_it_is_told_what_it_gave(tmp_path: Path) -> None:
    trace = recorded(tmp_path, PROGRAM)

    def came(name: str, number: int = 0) -> str:
        return came_of(trace, call_of(trace, name, number), width=20)

    assert came("three") == "-> 3"
    assert came("evens") == "gave 0, 2, 4, ... 2 more"
    assert came("evens", 1) == "gave nothing"
    # (From 3.13 on a generator that has nothing to clear away is closed without being run.)
    end = "closed" if sys.version_info < (3, 13) else "not requested"
    assert came("evens", 2) == f"gave 0, then {end}"
    assert came("evens", 3) == "(never started)"
    assert came("fails").startswith("raised ValueError")
