"""Edited functions of a run are found by digests, or by the text if there are none."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from sleuth.oracles.compare.edited import Edition
from sleuth.oracles.compare.mentioned import Names
from sleuth.oracles.compare.text_classes import plain_classes
from sleuth.trace.reader import Trace
from tests.recorded import recorded

pytestmark = pytest.mark.two_versions

PROGRAM = """
    '''What it is.'''
    import math
    LIMIT = 3
    DEPTH = 1
    if LIMIT:
        SIGN = 1
    __version__ = "1.0"
    class Money(int):
        '''A sum.'''
        unit = "cent"
        def text(self):
            return f"{self} {self.unit}"
    class Price(Money):
        pass
    class Basket(list[int]):
        pass
    def small(n: int, most=LIMIT) -> bool:
        # whether it is
        return n < most
    def deep(n):
        return [each for each in range(n) if each < DEPTH]
    def named(thing):
        return getattr(thing, "unit")
    def inside():
        def inner(): return SIGN
        return inner
    Move = lambda n: n + math.pi
    small(1), deep(2), named(Money(3)), inside()(), Money(3).text(), Move(1)
"""


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Trace]:
    def run(source: str) -> Trace:
        return recorded(tmp_path_factory.mktemp("run"), source)

    return run


@pytest.fixture(scope="module")
def before(record: Callable[[str], Trace]) -> Trace:
    return record(PROGRAM)


def edition(before: Trace, record: Callable[[str], Trace], *edits: tuple[str, str]) -> Edition:
    text = PROGRAM
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return Edition(record(text), before)


def names(found: Edition, told: Any) -> set[str]:
    functions = {int(each.id): each.qualified_name for each in found._trace.functions()}
    return {functions[number] for number, is_so in told.items() if is_so}


def unlike(found: Edition) -> set[str]:
    return names(found, {number: not same for number, same in found.is_same.items()})


def test_comments_docstrings_and_annotations_are_no_edits(
    before: Trace, record: Callable[[str], Trace]
) -> None:
    found = edition(
        before,
        record,
        ("# whether it is", "# is it?\n"),
        ("'''A sum.'''", "'''A sum of money.'''"),
        ("'''What it is.'''", "'''What it was.'''"),
        ("n: int", "n: float"),
        ("-> bool", ""),
    )
    assert unlike(found) == set()
    assert not found.is_other_version


def test_an_edited_default_is_an_edit_of_the_function_alone(
    before: Trace, record: Callable[[str], Trace]
) -> None:
    found = edition(before, record, ("most=LIMIT", "most=LIMIT + 1"))
    assert unlike(found) == {"small"}
    assert names(found, found.is_affected) == set()


@pytest.mark.parametrize(
    ("old", "new", "edited", "affected"),
    [
        ("DEPTH = 1", "DEPTH = 2", {"<module>"}, {"deep"}),
        ("SIGN = 1", "SIGN = -1", {"<module>"}, {"inside", "inside.<locals>.inner"}),
        ("import math", "import cmath as math", {"<module>"}, {"<lambda>"}),
        ("import math", "import math, cmath", {"<module>"}, set()),
        ('unit = "cent"', 'unit = "ct"', {"<module>", "Money"}, {"Money.text"}),
        ('"1.0"', '"1.1"', {"<module>"}, set()),
    ],
)
def test_functions_that_name_a_changed_global_are_affected(
    before: Trace,
    record: Callable[[str], Trace],
    old: str,
    new: str,
    edited: set[str],
    affected: set[str],
) -> None:
    found = edition(before, record, (old, new))
    assert unlike(found) == edited
    assert names(found, found.is_affected) == affected


class Untold:
    """A trace whose functions have no wording, or that another version of Python made."""

    def __init__(self, trace: Trace, **instead: Any) -> None:
        self._trace = trace
        self._instead = instead

    def __getattr__(self, name: str) -> Any:
        return self._instead.get(name) or getattr(self._trace, name)


def test_without_digests_the_texts_are_compared(
    before: Trace, record: Callable[[str], Trace]
) -> None:
    after = record(PROGRAM.replace("# whether it is", "# is it?").replace("DEPTH = 1", "DEPTH = 2"))
    older = cast("Trace", Untold(before, wording=lambda _: None))
    found = Edition(after, older)
    assert {"<module>", "small"} == unlike(found)
    assert {"deep", "inside"} <= names(found, found.is_affected)


def test_digests_of_another_version_of_python_convict_nobody(
    before: Trace, record: Callable[[str], Trace]
) -> None:
    def otherwise(number: int) -> Any:
        told = before.wording(number)
        return told and replace(told, digest="other")

    meta = {**before.meta, "python": "3.99.1"}
    other = cast("Trace", Untold(before, wording=otherwise, meta=meta))
    after = record(PROGRAM.replace("        return n < most", "            return n < most"))
    assert unlike(Edition(after, other)) == set()
    same_version = cast("Trace", Untold(before, wording=otherwise))
    assert unlike(Edition(after, same_version)) == {"<module>", "small"}


def test_names_are_those_of_the_code_and_of_the_functions_in_it(before: Trace) -> None:
    functions = {each.qualified_name: each for each in before.functions()}
    found = Names(before)
    assert found.named_by(functions["named"].id) == {"getattr", "thing", "unit"}
    assert found.named_by(functions["inside"].id) == {"inner", "SIGN"}
    untold = Names(cast("Trace", Untold(before, names_said=lambda _: None)))
    assert {"def", "inner", "SIGN"} <= untold.named_by(functions["inside"].id)


def test_classes_made_from_texts_and_numbers_are_plain(before: Trace) -> None:
    assert plain_classes(before) == {"Money", "Price"}


def test_an_older_trace_is_compared_by_its_text() -> None:
    older = Trace(Path(__file__).parents[2] / "trace" / "older" / "version-2.trace")
    assert not Edition(older, Trace(older.path)).is_other_version
