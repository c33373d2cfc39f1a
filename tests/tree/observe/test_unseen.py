"""Unrecorded work of a call: code of the project that ran plain, and results from caches."""

from pathlib import Path

import pytest

from sleuth.trace.reader import Trace
from sleuth.tree.observe.calls import behaviour_of
from sleuth.tree.observe.nodes import behaviour_at
from sleuth.tree.observe.unseen import Unseen, unseen_in
from tests.recorded import call_of, calls_of, recorded

_EXCLUDE = '[tool.sleuth]\nexclude = ["helpers", "pkg.hidden"]\n'
_HELPERS = """
class Box:
    def __init__(self, n):
        self.n = n
    def grow(self):
        self.n += 1
class Row(list):
    def grow(self):
        self.append(1)
def render(x):
    return [x]
def back(f):
    return f()
"""
_PROGRAM = """
    import functools
    import helpers
    import helpers as h
    from helpers import Box, Row, back, render
    from pkg import told
    from pkg.shown import seen

    def by_name():
        return render(1)
    def by_module():
        return helpers.render(1), h.back(int)
    def by_package():
        return told(1)
    def of_recorded_code():
        return seen(1)
    def here():
        from helpers import render as draw
        return draw(2)
    def method(box):
        box.grow()
    def builtin_method(row):
        row.append(1)
    def not_taken(flag):
        if flag:
            render(1)
        return flag and render(2)
    def given(render):
        return render(1)
    def callback():
        return back(seen_back)
    def seen_back():
        return 1
    def texts():
        exec("a = 1")
        return eval("1 + 1")
    def below():
        return by_name()
    def other_code():
        return len("abc"), functools.reduce(max, [1, 2])
    def turns():
        for n in range(3):
            if n == 1:
                render(n)
            last = n
        return last
    def patched():
        return render(3)

    by_name(); by_module(); by_package(); of_recorded_code(); here()
    method(Box(1)); builtin_method(Row()); not_taken(False); given(int); callback()
    texts(); below(); other_code(); turns()
    render = int
    patched()
    """


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    folder = tmp_path_factory.mktemp("unseen")
    (folder / "pyproject.toml").write_text(_EXCLUDE)
    (folder / "helpers.py").write_text(_HELPERS)
    (folder / "pkg").mkdir()
    (folder / "pkg" / "__init__.py").write_text("from .hidden import told\n")
    (folder / "pkg" / "hidden.py").write_text("def told(x):\n    return x\n")
    (folder / "pkg" / "shown.py").write_text("def seen(x):\n    return x\n")
    return recorded(folder, _PROGRAM)


def unseen(trace: Trace, name: str) -> Unseen:
    return unseen_in(trace, behaviour_of(trace, call_of(trace, name)))


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("by_name", ("render",)),
        ("by_module", ("render", "back")),
        ("by_package", ("told",)),
        ("here", ("render",)),
        ("method", ("Box.grow",)),
        ("callback", ("back",)),
        ("turns", ("render",)),
    ],
)
def test_calls_of_unrecorded_code_of_the_project_are_told(
    trace: Trace, name: str, plain: tuple[str, ...]
) -> None:
    assert unseen(trace, name).plain == plain


@pytest.mark.parametrize(
    "name",
    ["of_recorded_code", "builtin_method", "not_taken", "given", "other_code", "patched", "texts"],
)
def test_calls_of_other_code_do_not_count_as_unseen(trace: Trace, name: str) -> None:
    assert unseen(trace, name) == Unseen()


def test_what_ran_unrecorded_further_below_is_told_apart(trace: Trace) -> None:
    assert unseen(trace, "below") == Unseen((), ("render",))


def test_the_whole_run_names_the_modules(trace: Trace) -> None:
    assert unseen_in(trace, behaviour_at(trace, -1)).plain == ("helpers", "pkg.hidden")


def test_a_function_whose_code_was_replaced_is_told(tmp_path: Path) -> None:
    source = """
        def f(x):
            return x + 1
        def g():
            return f(1)
        g()
        f.__code__ = f.__code__.replace(co_consts=(None, 2))
        g()
        """
    trace = recorded(tmp_path, source)
    told = [unseen_in(trace, behaviour_of(trace, each)).plain for each in calls_of(trace, "g")]
    assert told == [(), ("f",)]


_CACHED = """
    import functools

    @functools.lru_cache
    def slow(n):
        if n < 0:
            raise ValueError(n)
        return n * 2
    def first():
        return slow(1)
    def again():
        return slow(1)
    def both():
        return slow(2) + slow(2)
    def unhashable():
        try:
            return slow([])
        except TypeError:
            return None
    def replaced():
        global slow
        slow = len
        return slow("ab")

    first(); again(); both(); unhashable(); replaced()
    """


def test_an_answer_of_a_cache_is_told_where_that_is_certain(tmp_path: Path) -> None:
    trace = recorded(tmp_path, _CACHED)
    told = {
        name: unseen(trace, name).cached
        for name in ("first", "again", "both", "unhashable", "replaced")
    }
    assert told == {
        "first": (),
        "again": ("slow",),
        "both": ("slow",),
        "unhashable": (),
        "replaced": (),
    }
