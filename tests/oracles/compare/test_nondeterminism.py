"""Differences that no edit can have made don't count: chance, and values that are not used."""

import sys
from pathlib import Path

import pytest

from sleuth.opening import Opened
from sleuth.oracles.reference import Reference
from sleuth.oracles.table import helpers
from sleuth.search.question import Diagnosis, Verdict
from sleuth.trace.reader import Trace

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.recorded import call_of, recorded

pytestmark = pytest.mark.two_versions

SHELF = """
    import contextlib
    import time
    class Token(str):
        pass
    class Shelf:
        def __init__(self):
            {first}
            self.stamp()
            self.books = {{}}
        def stamp(self):
            self.since = time.time_ns()
        def put(self, book):
            self.books[book] = self.since
            return self
        def labelled(self, book):
            return f"{{book}}{label}"
        def __getattr__(self, name):
            raise AttributeError(f"{words} {{name}}")
    def stamped():
        return time.time_ns()
    def cut(text):
        return Token(text[{start}:])
    def asked(shelf):
        return hasattr(shelf, "colour")
    def said(shelf):
        try:
            return shelf.colour
        except AttributeError as error:
            return str(error)
    @contextlib.contextmanager
    def opened():
        yield 1
    def main():
        shelf = Shelf()
        shelf.put("a")
        stamped(), asked(shelf), said(shelf)
        with opened():
            assert shelf.since and cut("abc") and shelf.labelled("a") == "a1"
    main()
    """
BAD = {"first": "pass", "label": "2", "words": "no", "start": "1"}
GOOD = {"first": "self.motto = ''", "label": "1", "words": "there is no", "start": "0"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trace, Trace]:
    folder = tmp_path_factory.mktemp("chance")
    bad = recorded(folder / "bad", SHELF.format(**BAD), status=1)
    return bad, recorded(folder / "good", SHELF.format(**GOOD))


def verdict(runs: tuple[Trace, Trace], name: str) -> Verdict | None:
    bad, good = runs
    session = Opened(bad).session(transform=())
    node = session.problem.tree.find_call(call_of(bad, name).id)
    assert node is not None
    found = Reference(bad, good).answer(session.question(node))
    return None if found is None else found.verdict


def test_code_that_nobody_edited_is_not_called_wrong(runs: tuple[Trace, Trace]) -> None:
    assert verdict(runs, "stamped") is None
    assert verdict(runs, "Shelf.stamp") is not Verdict.WRONG


def test_values_that_differ_by_chance_do_not_convict_other_calls(runs: tuple[Trace, Trace]) -> None:
    assert verdict(runs, "Shelf.__init__") is not Verdict.WRONG
    assert verdict(runs, "Shelf.put") is Verdict.RIGHT
    assert verdict(runs, "Shelf.labelled") is Verdict.WRONG


def test_the_message_of_an_exception_counts_only_if_recorded_code_caught_it(
    runs: tuple[Trace, Trace],
) -> None:
    bad, good = runs
    session, reference = Opened(bad).session(transform=()), Reference(bad, good)
    unseen, seen = (call_of(bad, "Shelf.__getattr__", number) for number in (0, 1))
    nodes = [session.problem.tree.find_call(each.id) for each in (unseen, seen)]
    said = [reference.answer(session.question(node)) for node in nodes if node is not None]
    assert said[0] is None
    assert said[1] is not None
    assert said[1].verdict is Verdict.WRONG


def test_what_was_thrown_into_a_generator_is_not_its_doing(runs: tuple[Trace, Trace]) -> None:
    assert verdict(runs, "opened") is not Verdict.WRONG


def test_a_text_of_a_class_of_ones_own_is_not_known(runs: tuple[Trace, Trace]) -> None:
    assert verdict(runs, "cut") is not Verdict.RIGHT


def test_edited_code_that_seems_to_have_done_otherwise_is_more_suspicious(
    runs: tuple[Trace, Trace],
) -> None:
    bad, good = runs
    tree = Opened(bad).session(transform=()).problem.tree
    reference = Reference(bad, good)
    factors = reference.factors(tree)
    other, same = (
        tree.find_call(call_of(bad, name).id) for name in ("Shelf.labelled", "Shelf.put")
    )
    assert other is not None
    assert same is not None
    assert factors[other] > factors[same] == 1.0
    assert "something else" in reference.reason(tree, other)
    assert not reference.reason(tree, same)


TWO_EDITS = """
    def doubled(n):
        return n * {factor}
    def named(n):
        return {name}
    def both(n):
        {other}
        return doubled(n), named(n)
    assert both(2) == (4, "two"), both(2)
    """


@pytest.mark.parametrize(
    ("edits", "is_certain"),
    [
        ({"factor": "3", "name": "'two'", "other": "pass"}, True),
        ({"factor": "3", "name": "'four'", "other": "pass"}, False),
        ({"factor": "3", "name": "'two'", "other": "n += 0"}, False),
    ],
)
def test_one_edit_of_several_that_did_otherwise_is_not_certain(
    tmp_path: Path, edits: dict[str, str], *, is_certain: bool
) -> None:
    right = {"factor": "2", "name": "'two'", "other": "pass"}
    good = recorded(tmp_path / "good", TWO_EDITS.format(**right))
    bad = recorded(tmp_path / "bad", TWO_EDITS.format(**edits), status=1)
    made = helpers(bad, {"reference": [str(good.path)]})
    session = Opened(bad).session().helped(made.oracles, made.hints).unattended()
    found, tree = session.pending, session.problem.tree
    assert isinstance(found, Diagnosis)
    functions = [bad.function(int(tree.routine[node])) for node in found.candidates]
    names = [each.qualified_name for each in functions if each]
    assert "doubled" in names
    assert found.is_certain == is_certain
    assert is_certain or "both" in names
