"""What a call took from generators is among its inputs, and its question shows it."""

from pathlib import Path

from sleuth.opening import Opened
from sleuth.search.question import Answer, Diagnosis, Question, Verdict
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Value
from sleuth.tree.observe.behaviour import Taken
from sleuth.tree.observe.nodes import behaviour_at, behaviour_for
from sleuth.views.words.question import asked, question_lines
from tests.recorded import call_of, recorded

PIPELINE = """
    def numbers(until):
        for n in range(until):
            yield n
    def pairs(source):
        last = None
        for n in source:
            if last is not None:
                yield last * n
            last = n
    def report():
        return sum(n for n in pairs(numbers(4)))
    report()
"""


def taken(trace: Trace, name: str, number: int = 0) -> tuple[Taken, ...]:
    return behaviour_at(trace, call_of(trace, name, number).id).taken


def values(found: Taken) -> list[tuple[Value, ...]]:
    return [tuple(seen.value for seen in item) for item in found.items]


def screen(trace: Trace, name: str) -> str:
    behaviour = behaviour_at(trace, call_of(trace, name).id)
    lines = question_lines(trace, behaviour, width=80)
    return "\n".join(["".join(piece.text for piece in line) for line in lines] + [asked(behaviour)])


def test_a_generator_takes_from_the_generator_that_it_was_given(tmp_path: Path) -> None:
    trace = recorded(tmp_path, PIPELINE)
    (found,) = taken(trace, "pairs")
    assert found.path == "source"
    assert found.source == call_of(trace, "numbers").id
    assert values(found) == [(Atom(n),) for n in range(4)]
    assert taken(trace, "numbers") == ()


def test_a_generator_expression_takes_from_what_it_goes_over(tmp_path: Path) -> None:
    trace = recorded(tmp_path, PIPELINE)
    (found,) = taken(trace, "report.<locals>.<genexpr>")
    assert (found.path, found.source) == ("", call_of(trace, "pairs").id)
    assert values(found) == [(Atom(n),) for n in (0, 2, 6)]
    shown = screen(trace, "report.<locals>.<genexpr>")
    assert f"took      from pairs(...), call {found.source}:\n            0, 2, 6" in shown
    assert shown.endswith("Given what it took: are these the right values, in the right order?")


def test_the_items_of_a_generator_expression_are_shown_where_no_generator_gave_them(
    tmp_path: Path,
) -> None:
    trace = recorded(
        tmp_path,
        """
        NEEDS = {"lib": ["core", "util"], "core": []}
        def ready(target, done):
            return any(need in done for need in NEEDS[target])
        def safe(queens):
            return [*(r + c for r, c in enumerate(queens))]
        ready("lib", ["util"])
        ready("core", [])
        safe([1, 3])
        """,
    )
    assert "took      need, one after the other:\n            'core', 'util'" in screen(
        trace, "ready.<locals>.<genexpr>"
    )
    (none,) = taken(trace, "ready.<locals>.<genexpr>", 1)
    assert none.count == 0
    assert "took      r = 0, c = 1\n            r = 1, c = 3" in screen(
        trace, "safe.<locals>.<genexpr>"
    )


def test_values_that_others_took_are_left_out(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        def numbers():
            yield from (1, 2, 3, 4)
        def every(source):
            for n in source:
                yield n
        def plain():
            for n in [1, 2, 3, 4]:
                yield n
        shared = plain()
        found = every(shared)
        next(found), next(shared), next(found)
        """,
    )
    (found,) = taken(trace, "every")
    assert values(found) == [(Atom(1),), (Atom(3),)]


def test_a_loop_shows_the_globals_and_shared_variables_that_it_reads(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        NEEDS = {"a": 1}
        def outer(limit):
            def inner(names):
                found = []
                for name in names:
                    if NEEDS.get(name, 0) < limit:
                        found.append(name)
                return found
            return inner
        outer(2)(["a", "b"])
        """,
    )
    session = Opened(trace).session().shaped(("loops",))
    call = call_of(trace, "outer.<locals>.inner")
    node = session.problem.tree.find_call(call.id)
    assert node is not None
    session = session.given(Answer(session.problem.tree.key(node), Verdict.WRONG))
    question = session.pending
    assert isinstance(question, Question)
    used = {seen.path: seen.scope for seen in behaviour_for(trace, question.about).used}
    assert used["NEEDS"] == "global"
    assert used["limit"] == "closure"


def test_a_generator_that_fed_a_wrong_call_is_asked_about_before_the_diagnosis(
    tmp_path: Path,
) -> None:
    trace = recorded(tmp_path, PIPELINE)
    session = Opened(trace).session()
    tree = session.problem.tree
    asked_about = []

    def key(name: str) -> int:
        node = tree.find_call(call_of(trace, name).id)
        assert node is not None
        return node

    consumer = tree.key(key("report.<locals>.<genexpr>"))
    session = session.given(Answer(consumer, Verdict.WRONG))
    while isinstance(session.pending, Question):
        about = session.pending.about
        asked_about.append(about.call)
        is_producer = about == tree.key(key("pairs"))
        verdict = Verdict.WRONG if is_producer else Verdict.RIGHT
        session = session.given(Answer(about, verdict))
    # `pairs` was reached, and after it the generator that fed it.
    assert call_of(trace, "pairs").id in asked_about
    assert call_of(trace, "numbers").id in asked_about
    ended = session.pending
    assert isinstance(ended, Diagnosis)
    assert ended.about.call == call_of(trace, "pairs").id
    assert len(ended.evidence) >= 2
