"""`sleuth freeze`: writes a pytest test of the guilty call, and of calls judged right."""

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sleuth.errors import UsageError
from sleuth.help_layout import HelpLayout
from sleuth.search.question import USER, Answer, Diagnosis, Given, Pending, Verdict
from sleuth.trace.heap.recipe import Unbuildable
from sleuth.trace.values import escaped
from sleuth.tree.node import Key
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.tree.observe.nodes import behaviour_at, call_at
from sleuth.views import trace_files
from sleuth.views.drawing.screen import PLAIN, complain
from sleuth.views.frozen.expectation import Wanted
from sleuth.views.frozen.importing import Imports
from sleuth.views.frozen.writing import Frozen, file_text, frozen
from sleuth.views.guilty_code import concluded
from sleuth.views.prompt import inquiry, name_lookup
from sleuth.views.prompt.inquiry import Inquiry

_PART = re.compile(r"([A-Za-z_][^=]*?)\s*=(?!=)\s*(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Subject:
    """A call to write a test of."""

    behaviour: Behaviour
    wanted: Wanted | None
    is_right: bool


def main(argv: list[str]) -> int:
    """Run the command; the status is 1 if no test could be written."""
    options = parser().parse_args(argv)
    asked = inquiry.looked_at(trace_files.find(options.trace, folder=Path(trace_files.FOLDER)))
    subjects = [*_subjects(asked, options)]
    imports = Imports(asked.trace)
    tests: list[Frozen] = []
    for subject in subjects:
        attempt = imports.copy()
        try:
            made = frozen(attempt, subject.behaviour, subject.wanted, is_right=subject.is_right)
        except Unbuildable as problem:
            name = escaped(subject.behaviour.name)
            complain(f"No test for {name}: {escaped(str(problem))}.")
            continue
        imports = attempt
        tests.append(made)
    if not tests:
        return 1
    _write(asked, tests, options.output)
    _remark(tests, subjects)
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth freeze",
        description="Write a pytest test of the guilty call: its inputs, and the expected result. "
        "The test is marked as expected to fail until the bug is fixed.",
        epilog="Exit status: 0 written, 1 nothing could be written, 2 usage, 3 trace unreadable.",
    )
    trace_files.add_trace(made)
    made.add_argument(
        "--call",
        metavar="CALL",
        help="this call instead of the guilty one: its number, or a function that was called once",
    )
    made.add_argument(
        "--expected",
        metavar="VALUE",
        help="the expected result: a value, PATH=VALUE for a part, or the name of an exception "
        "(default: the one in your answer)",
    )
    made.add_argument(
        "--right", action="store_true", help="also write a test of each call that you judged right"
    )
    made.add_argument(
        "--output", metavar="FILE", help="the file (default: test_regression_NAME.py); - prints it"
    )
    return made


# --- Which calls ---------------------------------------------------------------------------------


def _subjects(asked: Inquiry, options: argparse.Namespace) -> Iterator[_Subject]:
    if options.call:
        node = name_lookup.node(asked, options.call)
        yield _subject(asked, asked.tree.key(node), options.expected)
    elif (guilty := _guilty(asked, is_needed=not options.right)) is not None:
        yield _subject(asked, guilty, options.expected)
    if options.right:
        rights = [
            given.answer
            for given in asked.session.answers
            if _is_users_right(given.answer) and call_at(asked.trace, given.answer.about)
        ]
        for answer in rights:
            yield _Subject(behaviour_at(asked.trace, answer.about.call), None, is_right=True)
        if not rights:
            complain("You have judged no call right, so --right adds no test.")


def _is_users_right(answer: Answer) -> bool:
    return answer.verdict is Verdict.RIGHT and answer.by == USER


def _guilty(asked: Inquiry, *, is_needed: bool) -> Key | None:
    ended = concluded(asked.session)
    calls = {asked.tree.key(node).call for node in _candidates(ended)}
    if isinstance(ended, Diagnosis) and len(calls) == 1:
        return ended.about
    if not is_needed:
        return None
    if isinstance(ended, Diagnosis):
        some = ", ".join(map(str, sorted(calls)[:5]))
        raise UsageError(f"The answers leave several calls. Choose one with --call: {some}")
    name = trace_files.typed(asked.trace.path)
    raise UsageError(
        f"No guilty call was found yet. Go on: sleuth ask {name}; or choose a call: --call CALL"
    )


def _candidates(ended: Pending) -> tuple[int, ...]:
    return ended.candidates if isinstance(ended, Diagnosis) else ()


def _subject(asked: Inquiry, about: Key, expected: str | None) -> _Subject:
    """Return a call with the result that the user expects of it."""
    behaviour = behaviour_at(asked.trace, about.call)
    # The guilty node may be a part of the call, but the expectation is about the whole call.
    answers = [
        given.answer
        for given in asked.session.answers
        if any(call_at(asked.trace, key) == behaviour.call for key in _abouts(given))
    ]
    said = next((each for each in reversed(answers) if each.expected), None)
    if expected is not None:
        return _Subject(behaviour, _wanted(expected), is_right=False)
    if said is not None:
        return _Subject(behaviour, Wanted(said.expected, said.path), is_right=False)
    is_right = any(each.verdict is Verdict.RIGHT for each in answers)
    return _Subject(behaviour, None, is_right=is_right)


def _abouts(given: Given) -> Iterator[Key]:
    yield given.answer.about
    yield from given.also


def _wanted(words: str) -> Wanted:
    part = _PART.fullmatch(words.strip())
    return Wanted(part[2], part[1]) if part else Wanted(words)


# --- Writing -------------------------------------------------------------------------------------


def _write(asked: Inquiry, tests: list[Frozen], output: str | None) -> None:
    shown = escaped(_what_ran(asked)).replace("\\", "\\\\").replace('"', "'")
    about = f"From a recorded run of {shown}, by sleuth freeze."
    if output == "-":
        print(file_text(tests, about, folder=Path.cwd()), end="")
        return
    path = Path(output) if output else Path(f"test_regression_{tests[0].name}.py")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(file_text(tests, about, folder=path.parent))
    except FileExistsError:
        raise UsageError(
            f"{escaped(str(path))} exists already. Choose another: --output FILE"
        ) from None
    count = "a test" if len(tests) == 1 else f"{len(tests)} tests"
    PLAIN.write([f"Wrote {count}: {path}. Run: pytest {path}"])


def _what_ran(asked: Inquiry) -> str:
    """Return the id of the test that was recorded, or the command."""
    test = asked.trace.meta.get("test")
    if isinstance(test, dict) and test.get("id"):
        return str(test["id"])
    return " ".join(str(word) for word in asked.trace.meta.get("argv", ()))


def _remark(tests: list[Frozen], subjects: list[_Subject]) -> None:
    """Print notes about the tests, on stderr because the tests may go to stdout."""
    for remark in dict.fromkeys(each for test in tests for each in test.made.remarks):
        complain(f"Note: {escaped(remark)}")
    if any(not each.is_right and each.wanted is None for each in subjects):
        complain(
            "Note: the expected result is not known, so the test only checks that the call no "
            "longer does what was recorded. Better: --expected VALUE"
        )
