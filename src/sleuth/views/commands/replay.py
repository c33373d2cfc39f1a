"""`sleuth replay`: record the same command again, and say which answers still apply."""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from sleuth.errors import TraceError, TraceMissing, UsageError
from sleuth.help_layout import HelpLayout
from sleuth.oracles import answer_file, memory
from sleuth.oracles.table import author
from sleuth.search.question import JUDGEMENTS, USER, Verdict
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.views import trace_files
from sleuth.views.commands import run
from sleuth.views.commands.reapplied import Outcome, State, replayed
from sleuth.views.drawing.screen import PLAIN
from sleuth.views.drawing.styled import Line, hanging, line
from sleuth.views.prompt import inquiry
from sleuth.views.prompt.inquiry import Inquiry
from sleuth.views.wire import recordings
from sleuth.views.wire.questions import question_id

_WORDS = {
    State.APPLIES: "{name} still does what {who} judged wrong",
    State.AS_EXPECTED: "{name} now {now}, as {who} expected",
    State.STILL_WRONG: "{name} now {now}; {who} expected {expected}",
    State.OTHERWISE: "{name} now {now}; {who} judged the old result {verdict}",
    State.GONE: "{name} is no longer called with these inputs",
    State.UNKNOWN: "{name} can't be found again: not all of its inputs are recorded",
}


def main(argv: list[str]) -> int:
    """Run the command; the status is 1 if a call is still wrong, or no longer right."""
    options = parser().parse_args(argv)
    asked = inquiry.looked_at(trace_files.find(options.trace, folder=Path(trace_files.FOLDER)))
    if not asked.session.answers:
        name = trace_files.typed(asked.trace.path)
        raise UsageError(f"There are no answers about this run yet. Give some: sleuth ask {name}")
    settings = {"memory": [options.memory] if options.memory else []}
    kept_in = memory.chosen(asked.trace, settings).resolve()
    new = Trace(_new_trace(asked.trace, options))
    found = replayed(asked.trace, asked.session.answers, new)
    _keep(asked, found, kept_in)
    if options.json:
        print(recordings.line(_document(asked.trace, new, found)))
    else:
        PLAIN.write(_told(new, found, _left_out(asked, found), PLAIN.width))
    return 1 if any(map(_is_bad, found)) else 0


def _is_bad(each: Outcome) -> bool:
    """Tell whether a call is still wrong, or was right and now does something else."""
    was_right = each.given.answer.verdict is Verdict.RIGHT
    return each.state in ((State.OTHERWISE,) if was_right else (State.APPLIES, State.STILL_WRONG))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth replay",
        description="Record the same command again, after a change of the program, and say which "
        "of your answers still apply.",
        epilog="Exit status: 0 right calls did not change, and wrong calls did; "
        "1 otherwise; 2 usage; 3 trace unreadable.",
    )
    trace_files.add_trace(made, what="the run with your answers")
    made.add_argument(
        "--recorded", metavar="TRACE", help="compare with this run instead of recording again"
    )
    made.add_argument(
        "--memory",
        metavar="FILE",
        help="remember the answers that still apply there (default: memory.jsonl beside the trace)",
    )
    made.add_argument("--json", action="store_true", help="one JSON object")
    return made


def _new_trace(old: Trace, options: argparse.Namespace) -> Path:
    if options.recorded:
        return trace_files.find(options.recorded, folder=Path(trace_files.FOLDER))
    if not options.json:
        return _recorded_again(old)
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)  # the program's output must not get into the JSON
    try:
        return _recorded_again(old)
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _recorded_again(old: Trace) -> Path:
    """Record the command of a trace again, where it ran."""
    words = [str(word) for word in old.meta.get("argv", ())]
    where = Path(str(old.meta.get("cwd", "")))
    if old.meta.get("language") != "Python" or not words:
        raise UsageError(
            "The trace does not say how it was recorded. Record the program yourself, then: "
            "sleuth replay TRACE --recorded OTHER"
        )
    if not where.is_dir():
        raise UsageError(
            f"The program's folder, {escaped(str(where))}, no longer exists. Record the program "
            "again, then: sleuth replay TRACE --recorded OTHER"
        )
    os.chdir(where)
    options = [str(word) for word in old.meta.get("options", ())]
    process, _, started = run.recorded([*options, "--quiet", "--", *words])
    if not started:
        raise TraceMissing(
            "The program could not be recorded again; see the message above. Record it yourself, "
            "then: sleuth replay TRACE --recorded OTHER"
        )
    path = _of_same_test(old, process) or run.trace_of(process, None)
    run.await_end(path)
    return path.resolve()


def _of_same_test(old: Trace, process: int) -> Path | None:
    """Return the new trace of the same test, as one process may have run many tests."""
    wanted = old.meta.get("test")
    name = wanted.get("id") if isinstance(wanted, dict) else None
    for path in trace_files.traces(Path(trace_files.FOLDER)) if name else ():
        with suppress(TraceError):
            meta = Trace(path).meta
            test = meta.get("test")
            if meta.get("pid") == process and isinstance(test, dict) and test.get("id") == name:
                return path
    return None


def _keep(asked: Inquiry, found: list[Outcome], path: Path) -> None:
    """Remember the answers that still apply, for the code as it is now."""
    lines = [
        memory.remembered(mark, each.given.answer, run=memory.run_of(asked.trace))
        for each in found
        if each.state is State.APPLIES and _is_users(each)
        for mark in each.marks
    ]
    if lines:
        answer_file.add(path, lines)


def _is_users(each: Outcome) -> bool:
    """Tell whether the user gave the answer, now or in an earlier session."""
    return each.given.answer.by in (USER, memory.NAME)


# --- Saying it -----------------------------------------------------------------------------------


def _left_out(asked: Inquiry, found: list[Outcome]) -> int:
    """Count the answers that judge parts of calls, or groups with a wrong call in them."""
    judged = sum(each.answer.verdict in JUDGEMENTS for each in asked.session.answers)
    return judged - len(found)


def _told(new: Trace, found: list[Outcome], left_out: int, width: int) -> Iterator[str | Line]:
    count = sum(each.state is State.APPLIES for each in found)
    words = "answer still applies" if len(found) == 1 else "answers still apply"
    yield f"{count} of {len(found)} {words}."
    if left_out:
        answers = "1 other answer is" if left_out == 1 else f"{left_out} other answers are"
        yield f"{answers} about the run, a loop, turns or a group, and can't be compared."
    for each in found:
        if each.state is not State.APPLIES or _is_bad(each):
            words = f"{each.given.number:>3}. {_sentence(each)}"
            yield from (line(row) for row in hanging(words, width, further=5))
    yield f"The new run is {escaped(str(new.path.name))}. Ask about it: sleuth ask {_typed(new)}"


def _typed(new: Trace) -> str:
    return trace_files.typed(new.path)


def _sentence(each: Outcome) -> str:
    answer = each.given.answer
    verdict = "right" if answer.verdict is Verdict.RIGHT else "wrong"
    who = "you" if _is_users(each) else author(answer.by)
    return escaped(
        _WORDS[each.state].format(
            name=each.name, now=each.now, expected=answer.expected, verdict=verdict, who=who
        )
    )


def _document(old: Trace, new: Trace, found: list[Outcome]) -> dict[str, Any]:
    return {
        "type": "replay",
        "version": 1,
        "trace": str(old.path),
        "recorded": str(new.path),
        "applies": sum(each.state is State.APPLIES for each in found),
        "answers": [
            {
                "number": each.given.number,
                "question": question_id(each.given.answer.about),
                "function": each.name,
                "verdict": each.given.answer.verdict.value,
                "by": each.given.answer.by,
                "expected": each.given.answer.expected or None,
                "state": each.state.value,
                "now": each.now or None,
                "call": each.call,
            }
            for each in found
        ],
    }
