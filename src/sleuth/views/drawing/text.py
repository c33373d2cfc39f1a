"""Every sentence people read about a trace: 80 columns, safe to print."""

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from sleuth.trace.events import Call, EventKind, Function, Outcome
from sleuth.trace.reader import Trace
from sleuth.trace.store.check import missing
from sleuth.trace.values import Absent, Value, escaped, shown
from sleuth.tree.names.known_names import known_as
from sleuth.tree.observe import behaviour as words
from sleuth.views.drawing.picture import FULL, SHORT, Pictures
from sleuth.views.words import state_text

WIDTH = 80
_DEEPEST = 12
"""Deeper calls are not indented further but say how deep they are."""
_DONE_TO = ("skipped", "interrupted")
_STREAMS = {1: "stdout", 2: "stderr"}


def header(trace: Trace) -> Iterator[str]:
    """Say which run it was, how it ended and what is not known of it."""
    yield f"{program(trace.meta)}  ({ending(trace.ending)})"
    started = trace.meta.get("started")
    language = " ".join(
        str(trace.meta[key]) for key in ("language", "python") if trace.meta.get(key)
    )
    about = [escaped(str(part)) for part in (started, language) if part]
    counts = f"{counted(trace.call_count, 'call')}, {counted(trace.event_count, 'event')}"
    yield "  ".join([counts, *about])
    for gap in missing(trace):
        yield f"! {escaped(gap)}"


def program(meta: Mapping[str, Any]) -> str:
    """Return the test that was recorded, or the command line."""
    test = meta.get("test")
    if isinstance(test, dict) and isinstance(test.get("id"), str):
        return escaped(test["id"])
    argv = meta.get("argv")
    words = [str(word) for word in argv] if isinstance(argv, list) else []
    return escaped(" ".join(words)) or "(unknown program)"


def ending(how: Mapping[str, Any] | None) -> str:
    """Say how a run ended."""
    if how is None:
        return "still running, or its recorder was stopped"
    match how.get("how"):
        case "exited":
            status = how.get("status")
            return "exited" if not status else f"exited with status {escaped(str(status))}"
        case "killed":
            return f"killed by signal {escaped(str(how.get('signal')))}"
        case "vanished":
            return "vanished"
        case "passed" | "failed" | "skipped" | "interrupted" as outcome:
            return f"the test {'was ' if outcome in _DONE_TO else ''}{outcome}"
        case "replaced":
            return "replaced by another program"
        case other:
            return escaped(str(other))


def counted(number: int, noun: str) -> str:
    """Return `1 call`, `2,000 calls`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size(number: int) -> str:
    """Return a number of bytes for people."""
    amount = float(number)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def function_name(function: Function | None, number: int) -> str:
    """Return the name a call is known by."""
    return escaped(function.qualified_name) if function else f"function {number}"


def call_name(trace: Trace, call: Call) -> str:
    """Return the name that a person knows a call by, in a list: `@timed parse`."""
    known = known_as(trace, call)
    if known is None:
        return function_name(trace.function(call.function), call.function)
    return escaped(f"@{known.by} {known.name}" if known.by else known.name)


def headed(trace: Trace, call: Call, given: str, came: str) -> str:
    """Return a call on one line, of its pieces: `f(x=1) -> 2`; of a body which one it is."""
    function = trace.function(call.function)
    ended = "" if call.outcome is Outcome.RETURNED else f" {came}"
    if function is not None and function.kind == "module body":
        return f"module {escaped(function.module.name)}{ended}"
    if function is not None and function.kind == "class body":
        return f"class {escaped(function.qualified_name)}{ended}"
    if function is not None and _is_text(function):
        return f"{call_name(trace, call)} {came}"
    return f"{call_name(trace, call)}({given}) {came}"


def where(trace: Trace, function: Function | None, line: int | None = None) -> str:
    """Return `file:line`, from the folder the program ran in."""
    if function is None:
        return "(unknown place)"
    return f"{escaped(file_of(trace, function))}:{line_of(function, line)}"


def place_of(trace: Trace, call: Call, line: int | None = None) -> str:
    """Return where the code of a call stands; of a text that was compiled also who ran it."""
    function = trace.function(call.function)
    place = where(trace, function, line)
    run_at = _run_at(trace, call, function)
    return f"{place}, run at {run_at}" if run_at else place


def brief_place(trace: Trace, call: Call, line: int | None = None) -> str:
    """Return where a person looks first: of a text that was compiled where it was run."""
    function = trace.function(call.function)
    return _run_at(trace, call, function) or where(trace, function, line)


def _run_at(trace: Trace, call: Call, function: Function | None) -> str:
    """Return the place where a text that was compiled was run, if that is known."""
    span = trace.call_site(call)
    if function is None or not _is_text(function) or span is None or call.parent is None:
        return ""
    return where(trace, trace.function(trace.call(call.parent).function), span.line)


def _is_text(function: Function) -> bool:
    """Tell whether a function is the body of a text that the program compiled itself."""
    return function.kind in (words.CODE_BODY, words.EXPRESSION)


def line_of(function: Function, line: int | None = None) -> int:
    """Return a line of a function, or its first, as its author knows it: in the template."""
    template = function.module.template
    if template is None:
        return function.first_line if line is None else line
    return template.first_line(function) if line is None else template.line(line)


def file_of(trace: Trace, function: Function) -> str:
    """Return the path of a function's file, from the folder the program ran in."""
    if function.module.template is not None:
        return function.module.template.name
    path = PurePath(function.module.path)
    cwd = trace.meta.get("cwd")
    if isinstance(cwd, str) and path.is_relative_to(cwd):
        path = path.relative_to(cwd)
    return str(path)


def arguments(trace: Trace, call: Call, function: Function | None, *, width: int = 24) -> str:
    """Return `x=1, y='a'`."""
    pictures = Pictures(trace)
    given = trace.arguments(call)
    names = function.parameters if function else ()
    if len(names) < len(given):
        names = (*names, *[""] * (len(given) - len(names)))
    return ", ".join(
        f"{escaped(name)}{'=' if name else ''}"
        f"{pictures.of(value, call.first, width=width, depth=SHORT)}"
        for name, value in zip(names, given, strict=False)
        if not isinstance(value, Absent)
    )


def outcome(trace: Trace, call: Call, *, width: int = 24, depth: int = SHORT) -> str:
    """Say what came of a call: `-> 3`, `raised <ValueError #2>`, `never ended`."""
    match call.outcome:
        case Outcome.RETURNED:
            return f"-> {_result(trace, call, width, depth)}"
        case Outcome.RAISED:
            return f"raised {raised(trace, call, width=width)}"
        case Outcome.SUSPENDED if not call.is_started:
            return "(never started)"
        case Outcome.SUSPENDED:
            return f"(suspended, gave {_result(trace, call, width, depth) or 'nothing'})"
        case Outcome.LOST:
            return "(ended unseen)"
        case Outcome.UNFINISHED:
            return "(never ended)"


def _result(trace: Trace, call: Call, width: int, depth: int) -> str:
    return Pictures(trace).of(trace.result(call), call.last or 0, width=width, depth=depth)


def raised(trace: Trace, call: Call, *, width: int = 24) -> str:
    """Return the exception that left a call, with its arguments if it began nearby."""
    exception = trace.result(call)
    # The raise is looked for a little before the end only: a long search would not be worth it.
    last = call.last or 0
    for event in reversed(list(trace.events(max(last - 200, 0), last))):
        if event.kind is EventKind.RAISE and event.values[0] == exception:
            kind = getattr(exception, "type_name", shown(exception))
            given = ", ".join(shown(value, width=width) for value in event.values[1:])
            return f"{escaped(kind.removeprefix('builtins.').removeprefix('__main__.'))}({given})"
    return Pictures(trace).of(exception, last, width=width, depth=SHORT)


def indentation(level: int) -> str:
    """Return what stands before a line of the tree."""
    return "  " * level if level <= _DEEPEST else f"({level} deep) "


def call_line(trace: Trace, call: Call, *, indent: int) -> str:
    """Return one line of the tree."""
    function = trace.function(call.function)
    mark = ""
    if call.is_resumable and function is not None:
        mark = f" [{escaped(function.kind)}]"
    place = brief_place(trace, call)
    start = f"{call.id:>6}  {indentation(indent)}"
    room = max(WIDTH - len(start) - len(place) - 2, 30)
    name = call_name(trace, call)
    line = f"{name} {outcome(trace, call)}"
    for width in () if function and _is_text(function) else (40, 24, 12):
        given = arguments(trace, call, function, width=width)
        came = f"){mark} {outcome(trace, call, width=width)}"
        # Long values give way first, then the arguments: what came of it matters most.
        spare = max(room - len(name) - 1 - len(came), 8)
        line = f"{name}({fitted(given, spare)}{came}"
        if len(given) <= spare and len(line) <= room:
            break
    return f"{start}{fitted(line, room).ljust(room)}  {place}"


def fitted(words: str, room: int) -> str:
    """Return the words, with an ellipsis if they are longer than the room."""
    return words if len(words) <= room else words[: room - 3] + "..."


def call_in_full(trace: Trace, call: Call, children: int) -> Iterator[str]:
    """Yield everything that is known of one call, without its events."""
    function = trace.function(call.function)
    kind = f", {escaped(function.kind)}" if function else ""
    yield f"call {call.id}: {function_name(function, call.function)}{kind}"
    if known := known_as(trace, call):
        yield f"  known as   {escaped(known.text)}"
    if function:
        yield f"  defined    {where(trace, function)} to {function.last_line}"
    how = "started" if call.ran_elsewhere else "called"
    yield f"  {how:<10} {_call_site(trace, call)}"
    yield f"  thread     {_named(call.thread, trace.threads)}"
    if call.task:
        yield f"  task       {_named(call.task, trace.tasks)}"
    for name, value in _given(trace, call, function):
        yield f"  given      {name}{Pictures(trace).of(value, call.first, width=200)}"
    for name, value in trace.closure(call, call.first).items():
        picture = Pictures(trace).of(value, call.first, width=200)
        yield f"  used       {escaped(name)} = {picture}"
    yield f"  outcome    {outcome(trace, call, width=200, depth=FULL)}"
    yield from state_text.lines(trace, call, trace.changed(call))
    last = "still running" if call.last is None else f"{call.last:,}"
    yield f"  moments    {call.first:,} to {last}"
    yield f"  events     {call.events:,} of its own"
    yield f"  made       {counted(children, 'call')}"


def _given(trace: Trace, call: Call, function: Function | None) -> Iterator[tuple[str, Value]]:
    names = function.parameters if function else ()
    for position, value in enumerate(trace.arguments(call)):
        name = f"{escaped(names[position])} = " if position < len(names) else ""
        if not isinstance(value, Absent):
            yield name, value


def _call_site(trace: Trace, call: Call) -> str:
    if call.parent is None:
        return "by code that is not recorded"
    caller = trace.function(trace.call(call.parent).function)
    by = f"by call {call.parent}, {function_name(caller, trace.call(call.parent).function)}"
    if call.parent_is_resumer:
        by += " (its first resumer; who made it was not seen)"
    if call.through_other_code and not call.ran_elsewhere:
        by += ", through code that is not recorded"
    span = trace.call_site(call)
    if span is None:
        return f"{by}, place not known"
    return f"{by}, {where(trace, caller, span.line)} columns {span.column} to {span.end_column}"


def _named(number: int, names: Mapping[int, str]) -> str:
    return f"{number} ({escaped(names[number])})" if number in names else str(number)
