"""A recorded call becomes a test that fails while the bug is there, and passes after the fix."""

import contextlib
import io
import subprocess
import sys
from pathlib import Path

import pytest

import sleuth
from sleuth.search.question import Answer, Diagnosis, Question, Verdict
from sleuth.trace.reader import Trace
from sleuth.views.cli import main

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.recorded import call_of, recorded

pytestmark = pytest.mark.two_versions

PROGRAM = """
    import asyncio
    from dataclasses import dataclass, field
    from datetime import date, timedelta
    from enum import Enum, Flag
    from fractions import Fraction
    from typing import NamedTuple

    RATE = 3
    class Colour(Enum):
        RED = "r"
    class Right(Flag):
        READ = 1
        WRITE = 2
    Odd = Enum("Odd", {"x; import os": 1})
    Worse = type("Worse; import os", (), {})
    class Point(NamedTuple):
        x: int
        y: int
    @dataclass
    class Item:
        name: str
        price: int
    @dataclass(frozen=True, slots=True)
    class Pair:
        left: Item
        right: Item
    class Cart:
        def __init__(self, items, *, owner="me"):
            self.items = items
            self.owner = owner + "?"
        def total(self):
            return sum(item.price for item in self.items)
        def __hidden(self, extra):
            self.extra = extra
        def hide(self, extra):
            self.__hidden(extra)
        @property
        def count(self):
            return len(self.items) + 1
        @classmethod
        def empty(cls):
            return cls([])
        @staticmethod
        def double(n):
            return n * 3
    class Linked:
        def __init__(self):
            self.next = self
    def scaled(n):
        return n * RATE
    def swap(pair, kind, where):
        return [kind.value, where.y, pair.right.name]
    def put(xs, n):
        xs.append(n + 1)
    def spread(a, *rest, key, **more):
        return [a, *rest, key, more]
    def shared(xs, ys):
        xs.append(1)
        return len(ys)
    def around(node):
        return node.next is node
    def up_to(n):
        for i in range(n):
            yield i
    async def later(n):
        return n + 2
    def fails(n):
        return [][n]
    def applied(function, n):
        return function(n)
    def big(data):
        return len(data)
    def due(day, days):
        return day + timedelta(days=days + 1)
    def last(numbers):
        return list(numbers)[:-1]
    def writing(right):
        return right | Right.WRITE
    def nothing(number):
        return [number]
    def odd(member):
        return member.value
    def half(number):
        return number / 2
    def worse(thing):
        return 1
    def outer():
        def inner(n):
            return n
        return inner(1)

    if __name__ == "__main__":
        cart = Cart([Item("tea", 2), Item("cup", 5)], owner="you")
        cart.total(); cart.hide(3); cart.count; Cart.empty(); Cart.double(2)
        scaled(2); put([1, 2], 3); spread(1, 2, 3, key=4, five=6)
        tea = Item("tea", 2)
        swap(Pair(tea, tea), Colour.RED, Point(1, 2))
        same = [5]
        shared(same, same); around(Linked()); list(up_to(3)); asyncio.run(later(1))
        applied(scaled, 1); big(list(range(20000))); outer()
        due(date(2024, 2, 28), 1); last(range(2, 9, 3)); writing(Right.READ); nothing(float("nan"))
        odd(Odd(1)); worse(Worse()); half(Fraction(1, 3))
        RATE = 4
        scaled(5)
        try:
            fails(7)
        except IndexError:
            pass
    """


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("frozen"), PROGRAM, name="shopping.py")


def freeze(*words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["freeze", *words])
    return status, out.getvalue(), err.getvalue()


def run(folder: Path, *words: str) -> str:
    """Run pytest on its own, as a user would."""
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rA", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return process.stdout


SUBJECTS = {
    # Call: what it should give; what stands in the test.
    "Cart.__init__": ("self.owner = 'you'", "receiver = Cart(items, owner='you')"),
    "Cart.total": ("8", "receiver.total()"),
    "Cart.__hidden": ("self.extra = 4", "receiver._Cart__hidden(3)"),
    "Cart.count": ("2", "result = receiver.count"),
    "Cart.double": ("4", "Cart.double(2)"),
    "put": ("[1, 2, 3]", "assert xs == [1, 2, 3]"),
    "spread": ("[]", "spread(1, *rest, key=4, **more)"),
    "swap": ("return[2] = 'cup'", "Point(1, 2)"),
    "shared": ("1", "shared(xs, ys)"),
    "around": ("False", "object.__setattr__("),
    "up_to": ("[1, 2, 3]", "list(up_to(3))"),
    "later": ("2", "run(later(1))"),
    "applied": ("4", "applied(scaled, 1)"),
    "scaled": ("16", 'monkeypatch.setattr(shopping, "RATE", 4)'),
    "fails": ("0", "raises=IndexError"),
    "due": ("datetime.date(2024, 2, 29)", "assert result == date(2024, 2, 29)"),
    "last": ("[2, 5, 8]", "last(numbers)"),
    "odd": ("2", "member = Odd(1)"),
}


NOT_THAT = (
    "Cart.total", "put", "spread", "swap", "later", "up_to", "Cart.__init__", "due",
    "writing", "nothing", "half",
)  # fmt: skip
"""Calls of which nobody said what they should give."""


def number_of(trace: Trace, name: str) -> str:
    return str(call_of(trace, name, -1 if name == "scaled" else 0).id)


@pytest.fixture(scope="module")
def written(trace: Trace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a test for every call, below the program's folder, and run them all once."""
    folder = trace.path.parent / "tests"
    folder.mkdir()
    for name, (expected, _) in SUBJECTS.items():
        file = folder / f"test_{name.replace('.', '_').lower()}.py"
        status, _, err = freeze(
            str(trace.path), "--call", number_of(trace, name),
            "--expected", expected, "--output", str(file),
        )  # fmt: skip
        assert status == 0, err
    for name in NOT_THAT:
        file = folder / f"test_not_{name.replace('.', '_').lower()}.py"
        assert freeze(str(trace.path), "--call", number_of(trace, name), "--output", str(file))
    return folder


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_call_is_written_as_a_person_would(written: Path, name: str) -> None:
    text = (written / f"test_{name.replace('.', '_').lower()}.py").read_text()
    assert SUBJECTS[name][1] in text, text


def test_every_written_test_runs_and_fails_as_expected(written: Path) -> None:
    said = run(written)
    count = len(SUBJECTS) + len(NOT_THAT)
    assert f"{count} xfailed" in said.splitlines()[-1], said


def test_only_what_is_needed_is_imported_and_only_the_programs_folder_is_named(
    written: Path,
) -> None:
    texts = {file.name: file.read_text() for file in written.glob("test_*.py")}
    folders = {line for text in texts.values() for line in text.splitlines() if "sys.path." in line}
    assert folders == {'sys.path.insert(0, str(HERE / ".."))'}
    named = [line for line in texts["test_due.py"].splitlines() if line.startswith("from ")]
    assert named[1:] == ["from datetime import date", "from shopping import due"]


@pytest.mark.parametrize(
    "expected", ["__import__('os').getpid()", "day[__import__('os')] = 1", "date.today()"]
)
def test_nothing_that_does_more_than_be_a_value_gets_into_a_test(
    trace: Trace, expected: str
) -> None:
    number = number_of(trace, "due")
    status, out, err = freeze(
        str(trace.path), "--call", number, "--expected", expected, "--output", "-"
    )
    assert (status, out) == (1, "")
    assert "Python" in err


def test_a_test_passes_once_the_bug_is_fixed_and_then_its_mark_must_go(
    trace: Trace, tmp_path: Path
) -> None:
    source = (trace.path.parent / "shopping.py").read_text()
    (tmp_path / "shopping.py").write_text(source.replace("xs.append(n + 1)", "xs.append(n)"))
    file = tmp_path / "test_put.py"
    number = number_of(trace, "put")
    assert freeze(str(trace.path), "--call", number, "--expected", "[1,2,3]", "--output", str(file))
    text = file.read_text()
    away = text.replace(str(Path("..")), "..")
    # Where the fixed program is.
    lines = [line for line in away.splitlines() if not line.startswith("sys.path")]
    file.write_text("\n".join(lines))
    assert "XPASS(strict)" in run(tmp_path)
    file.write_text("\n".join(line for line in lines if not line.startswith("@pytest.mark")))
    assert "1 passed" in run(tmp_path)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("outer.<locals>.inner", "is defined in outer()"),
        ("big", "data was too long to be kept whole"),
        ("<module>", "is the body of a module"),
        ("worse", "can't be imported"),
    ],
)
def test_what_can_not_be_rebuilt_is_said_with_the_reason(trace: Trace, name: str, why: str) -> None:
    status, out, err = freeze(str(trace.path), "--call", number_of(trace, name), "--output", "-")
    assert (status, out) == (1, "")
    assert why in " ".join(err.split())


def test_what_is_expected_must_be_a_value(trace: Trace) -> None:
    number = number_of(trace, "put")
    status, _, err = freeze(str(trace.path), "--call", number, "--expected", "about 3")
    assert status == 1
    assert "about 3 is not a Python value" in err


def test_without_a_diagnosis_a_call_must_be_chosen(trace: Trace) -> None:
    status, _, err = freeze(str(trace.path))
    assert status == 2
    assert "No guilty call was found yet" in err


def test_a_file_is_never_overwritten(trace: Trace, tmp_path: Path) -> None:
    file = tmp_path / "test_mine.py"
    file.write_text("mine")
    number = number_of(trace, "put")
    status, _, err = freeze(str(trace.path), "--call", number, "--output", str(file))
    assert (status, file.read_text()) == (2, "mine")
    assert "exists already" in err


def test_the_diagnosis_and_the_right_answers_of_a_session_become_tests(
    trace: Trace, tmp_path: Path
) -> None:
    opened = sleuth.open(trace.path)
    right = {"Cart.total", "swap", "spread", "Cart.empty", "fails"}
    with opened.resumed() as (begun, journal):
        session = begun
        for name in right:
            about = opened.tree.key(opened.node_of(call_of(trace, name).id))
            session = journal.follow(session, session.given(Answer(about, Verdict.RIGHT)))
        about = opened.tree.key(opened.node_of(call_of(trace, "put").id))
        answer = Answer(about, Verdict.WRONG, expected="[1, 2, 3]")
        session = journal.follow(session, session.given(answer))
    file = trace.path.parent / "tests" / "test_session.py"
    file.parent.mkdir(exist_ok=True)
    status, out, err = freeze(str(trace.path), "--right", "--output", str(file))
    assert (status, "6 tests" in out, err) == (0, True, "")
    said = run(file.parent, str(file))
    assert "5 passed, 1 xfailed" in said.splitlines()[-1], said


LOOPED = """
    def total(numbers):
        found = 0
        for number in numbers:
            found = number
        return found
    if __name__ == "__main__":
        print(total([1, 2, 3]))
    """


def test_of_a_guilty_loop_the_whole_call_is_frozen_with_what_was_said_of_it(
    tmp_path: Path,
) -> None:
    trace = recorded(tmp_path, LOOPED)
    opened = sleuth.open(trace.path)
    call = call_of(trace, "total")
    with opened.resumed() as (begun, journal):
        about = opened.tree.key(opened.node_of(call.id))
        wrong = Answer(about, Verdict.WRONG, expected="6")
        session = journal.follow(begun, begun.given(wrong))
        assert isinstance(session.pending, Question)
        assert session.pending.about != about  # its loop
        while isinstance(session.pending, Question):
            answer = Answer(session.pending.about, Verdict.WRONG)
            session = journal.follow(session, session.given(answer))
        assert isinstance(session.pending, Diagnosis)
        assert session.pending.about != about
    status, out, err = freeze(str(trace.path), "--output", "-")
    assert (status, err) == (0, "")
    assert "    result = total(numbers)\n    assert result == 6\n" in out
