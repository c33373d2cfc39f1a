"""The hint that follows a wrong value to the calls that made it."""

from pathlib import Path

import pytest

from sleuth.opening import Opened
from sleuth.oracles.table import helpers
from sleuth.oracles.value import Value, pointed_by
from sleuth.search.question import Answer, Question, Verdict
from sleuth.search.session import Session
from sleuth.trace.reader import Trace
from sleuth.tree.node import Key
from tests.ready import ran
from tests.recorded import call_of, recorded

CHAIN = """
    def price(name):
        return {"tea": 3, "jam": 4}[name]
    def taxed(net):
        return net + 1
    def noise(n):
        return [n * i for i in range(3)]
    def main():
        for n in range(6):
            noise(n)
        print(price("jam"))
        total = taxed(price("tea"))
        for n in range(6):
            noise(n)
        print(total)
    main()
    """


DOUBLING = """
def doubled(n):
    return n * 2 if n != 3 else 7
def all_doubled(numbers):
    made = []
    for n in numbers:
        made.append(doubled(n))
    return made
"""
TEST = """
from doubling import all_doubled
def test_it():
    found, expected = all_doubled([1, 2, 3, 4]), [2, 4, 6, 8]
    assert found == expected
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("value"), CHAIN)


def run_of(session: Session) -> Key:
    return session.problem.tree.key(session.problem.root)


def asked(trace: Trace, *answers: Answer) -> Session:
    session = Opened(trace).session(transform=()).helped((), (Value(trace),))
    for answer in answers:
        session = session.given(answer)
    return session


def name_of(trace: Trace, session: Session) -> str:
    question = session.pending
    assert isinstance(question, Question)
    function = trace.function(trace.call(question.about.call).function)
    return function.qualified_name if function else ""


def pointing(trace: Trace, path: str) -> Answer:
    return Answer(run_of(asked(trace)), Verdict.WRONG, path=path)


def test_without_a_symptom_nothing_is_followed(trace: Trace) -> None:
    assert not asked(trace).active_hints


def test_the_call_that_made_a_printed_value_is_asked_about_first(trace: Trace) -> None:
    assert name_of(trace, asked(trace, pointing(trace, "stdout[1]"))) == "taxed"
    assert name_of(trace, asked(trace, pointing(trace, "stdout[0]"))) == "price"
    assert name_of(trace, asked(trace, pointing(trace, 'text:"4"'))) in ("taxed", "price")


def test_what_the_value_does_not_depend_on_is_asked_about_last(trace: Trace) -> None:
    session = asked(trace, pointing(trace, "stdout[1]"))
    names: list[str] = []
    while isinstance(session.pending, Question) and len(names) < 30:
        names.append(name_of(trace, session))
        verdict = Verdict.UNKNOWN if names[-1] == "main" else Verdict.RIGHT
        session = session.given(Answer(session.pending.about, verdict))
    assert set(names[: names.index("noise")]) >= {"taxed", "price"}, "noise sinks"
    assert names.count("noise") == 6, "it is not lost; of equal questions one is asked"


def test_an_undone_answer_is_followed_no_more(trace: Trace) -> None:
    session = asked(trace, pointing(trace, "stdout[1]"))
    assert session.active_hints
    assert not session.undone().active_hints


def test_reasons_say_how_the_value_depends_on_a_call(trace: Trace) -> None:
    session = asked(trace, pointing(trace, "stdout[1]"))
    (hint,) = session.active_hints
    tree = session.problem.tree
    nodes = {name: tree.find_call(call_of(trace, name).id) for name in ("taxed", "noise")}
    assert (
        hint.reason(tree, nodes["taxed"] or 0) == "it wrote what you called wrong, or gave it last"
    )
    assert hint.reason(tree, nodes["noise"] or 0) == "what you called wrong does not depend on it"


def test_a_bad_call_points_at_the_value_that_it_was_given(trace: Trace) -> None:
    call = call_of(trace, "taxed")
    key = Key(call.id, call.first, call.last or -1)
    answer = Answer(key, Verdict.INADMISSIBLE, path="net")
    found = pointed_by(trace, answer)
    assert found is not None
    assert found.path == "net"
    assert name_of(trace, asked(trace, answer)) == "price"


def test_an_answer_without_a_path_or_of_an_oracle_points_at_nothing(trace: Trace) -> None:
    call = call_of(trace, "taxed")
    key = Key(call.id, call.first, call.last or -1)
    assert not asked(trace, Answer(key, Verdict.WRONG)).active_hints
    assert not asked(trace, Answer(key, Verdict.WRONG, by="memory", path="return")).active_hints


def test_the_operand_of_a_failed_check_is_followed_to_its_first_difference(tmp_path: Path) -> None:
    (tmp_path / "doubling.py").write_text(DOUBLING)
    (tmp_path / "test_doubled.py").write_text(TEST)
    path = tmp_path / "test.trace"
    ran(["record", "--output", str(path), "-m", "pytest", "-q", "test_doubled.py"], cwd=tmp_path)
    trace = Trace(path)
    session = Opened(trace).session(transform=())
    session = session.helped((), helpers(trace, {}).hints)
    (hint,) = [each for each in session.active_hints if each.name == "value"]
    tree = session.problem.tree
    nodes = [tree.find_call(call_of(trace, "doubled", number).id) for number in range(4)]
    factors = [float(hint.factors(tree)[node or 0]) for node in nodes]
    assert factors[2] == max(factors), "doubled(3) made the item that differs"
    assert factors[2] > 1000 * factors[3], "doubled(4) came later"


def test_an_unattended_session_does_not_follow_values(trace: Trace) -> None:
    session = asked(trace, pointing(trace, "stdout[1]"))
    assert not session.without_followers().active_hints


def test_a_value_that_leads_nowhere_is_told(trace: Trace) -> None:
    hint = Value(trace)
    assert hint.following((Answer(Key(0, 0, 3), Verdict.WRONG, path="nothing"),)) is None


TWICE = """
    class Box:
        def __init__(self):
            self.size = 3
        def grow(self, by):
            self.size = self.size + by
    def main():
        box = Box()
        box.grow(1)
        box.grow(2)
        box.grow(2)
        return box
    main()
    """


def test_what_ran_before_a_location_was_last_as_expected_is_less_suspicious(tmp_path: Path) -> None:
    trace = recorded(tmp_path, TWICE)
    main = call_of(trace, "main")
    about = Key(main.id, main.first, main.last or -1)
    told = {}
    for expected in ("", "4"):
        answer = Answer(about, Verdict.WRONG, path="return.size", expected=expected)
        session = asked(trace, answer)
        (hint,) = session.active_hints
        tree = session.problem.tree
        nodes = [tree.find_call(call_of(trace, "Box.grow", number).id) for number in range(3)]
        told[expected] = [float(hint.factors(tree)[node or 0]) for node in nodes]
    assert told["4"][2] == told[""][2], "it ran afterwards"
    assert told["4"][0] < told[""][0] / 5, "it gave the value that was right"
