"""`sleuth show`: a trace as a tree of calls, one call, events, modules; as words or JSON."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sleuth.errors import UsageError
from sleuth.help_layout import HelpLayout
from sleuth.trace.events import Call, CallId
from sleuth.trace.reader import Trace
from sleuth.trace.store.check import missing
from sleuth.trace.values import escaped
from sleuth.tree.coverage import lines_of
from sleuth.views import trace_files
from sleuth.views.drawing.calls import call_text, function_name, neighbours
from sleuth.views.drawing.places import brief_place, files, shortened
from sleuth.views.drawing.screen import PLAIN
from sleuth.views.drawing.styled import counted, hanging, padded, wrapped
from sleuth.views.drawing.styled import width as columns
from sleuth.views.project import labelled
from sleuth.views.prompt import name_lookup
from sleuth.views.wire import recordings
from sleuth.views.words import variables
from sleuth.views.words.call_details import call_details
from sleuth.views.words.events import EventWords
from sleuth.views.words.recording import ending, program

_DEPTH = 3
_BREADTH = 10
_MOST_TO_NAME = 20_000
"""Among more calls than this, the functions are not counted: it would take too long."""
_EVENTS_OF_A_CALL = 200
_DEEPEST = 12
"""Levels of indentation; a deeper call says its depth instead."""
_NUMBER = 8
"""Columns of a call's number."""
_LEAST_CALL = 30
"""Columns that a call needs beside its place; with less the place stands below it."""
_BEHIND_MOMENT = 10
"""Indentation of the further lines of a long event."""


def main(argv: list[str]) -> int:
    """Carry out the command."""
    options = parser().parse_args(argv)
    trace = labelled(Trace(trace_files.find(options.trace, folder=Path(trace_files.FOLDER))))
    lines = _lines(trace, options)
    if options.json:
        sys.stdout.writelines(f"{line}\n" for line in lines)
    else:
        PLAIN.write(lines)
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth show",
        description="Show a recorded run: its calls as a tree.",
    )
    trace_files.add_trace(made)
    made.add_argument("--depth", type=int, metavar="N", help="levels of calls to show (default: 3)")
    made.add_argument(
        "--call",
        metavar="CALL",
        help="everything about one call: its number, or the name of a function (its first call; "
        "NAME#3 is its third)",
    )
    made.add_argument(
        "--at",
        type=int,
        metavar="MOMENT",
        help="all variables just before the event at this moment",
    )
    made.add_argument("--events", action="store_true", help="the events in order")
    made.add_argument(
        "--modules", action="store_true", help="which modules were recorded, and why or why not"
    )
    made.add_argument("--json", action="store_true", help="one JSON object a line")
    made.add_argument(
        "--lines", action="store_true", help="with --json: the lines that each call ran itself"
    )
    return made


def _lines(trace: Trace, options: argparse.Namespace) -> Iterator[str]:
    if options.depth is not None and options.depth < 1:
        raise UsageError("--depth needs a number from 1 on, such as --depth 5.")
    if options.lines and (not options.json or options.events or options.modules):
        raise UsageError("--lines needs --json: sleuth show --json --lines")
    call = None if options.call is None else _call(trace, options.call)
    if options.modules:
        return _modules_json(trace) if options.json else _modules(trace)
    if options.at is not None:
        return _at(trace, options.at, call, json=options.json)
    if options.json:
        if options.lines:
            return _json_with_lines(trace, call, options.depth)
        return _json(trace, call, events=options.events, depth=options.depth)
    if options.events:
        return _events(trace, call)
    if call is not None:
        return _one_call(trace, call)
    return _tree(trace, options.depth or _DEPTH)


def _call(trace: Trace, words: str) -> Call:
    named = name_lookup.call_named(trace, words)
    if named.count > 1 and not words.strip().endswith(f"#{named.which}"):
        name = escaped(named.function)
        print(
            f"sleuth: {name} was called {named.count:,} times; this is the first, call "
            f"{named.call}. The others: --call '{name}#2' to '{name}#{named.count}'",
            file=sys.stderr,
        )
    return trace.call(named.call)


def _at(trace: Trace, moment: int, call: Call | None, *, json: bool) -> Iterator[str]:
    if not 0 <= moment <= trace.event_count:
        raise UsageError(
            f"There is no moment {moment}: they go from 0 to {trace.event_count:,}, the end."
        )
    call = call or variables.running_at(trace, moment)
    if json:
        return iter([recordings.line(recordings.state(trace, call, moment))])
    if call is None:
        return iter([f"moment {moment:,}: no recorded call runs"])
    return variables.state(trace, call, moment)


# --- Words ---------------------------------------------------------------------------------------


def _tree(trace: Trace, depth: int) -> Iterator[str]:
    yield from _header(trace)
    yield ""
    if trace.call_count == 0:
        yield "No calls were recorded. See why: sleuth show --modules"
    yield from _below(trace, None, depth)


def _header(trace: Trace) -> Iterator[str]:
    """Yield the program, its end, the size of the trace, and what is missing in it."""
    yield f"{program(trace.meta)}  ({ending(trace.ending)})"
    language = " ".join(
        str(trace.meta[key]) for key in ("language", "python") if trace.meta.get(key)
    )
    about = [escaped(str(part)) for part in (trace.meta.get("started"), language) if part]
    counts = f"{counted(trace.call_count, 'call')}, {counted(trace.event_count, 'event')}"
    yield "  ".join([counts, *about])
    yield from (f"! {escaped(gap)}" for gap in missing(trace))


def _below(trace: Trace, parent: CallId | None, depth: int) -> Iterator[str]:
    # Without recursion, as a trace can be deeper than Python's stack.
    known = files(trace)
    levels = [_Level.of(trace, parent)]
    while levels:
        level, indent = levels[-1], _indentation(len(levels) - 1)
        if level.shown == len(level.first):
            if rest := list(level.rest):
                yield f"{'':>{_NUMBER}}{indent}... {_more(trace, rest)}"
            levels.pop()
            continue
        child = level.first[level.shown]
        beside = neighbours(level.first, level.shown)
        level.shown += 1
        yield from _call_lines(trace, child, beside, indent, known)
        if len(levels) < depth:
            levels.append(_Level.of(trace, child.id))
        elif inside := sum(1 for _ in trace.child_ids(child.id)):
            yield f"{'':>{_NUMBER}}{indent}  ... made {counted(inside, 'call')}"


def _indentation(level: int) -> str:
    """Return the space before a call of the tree."""
    return "  " * level if level <= _DEEPEST else f"({level} deep) "


def _call_lines(
    trace: Trace, call: Call, beside: list[Call], indent: str, known: list[str]
) -> Iterator[str]:
    """Yield a call of the tree with its place in the source: on one line if there is room."""
    function, width = trace.function(call.function), PLAIN.width
    is_marked = call.is_resumable and function is not None
    mark = f" [{escaped(function.kind)}]" if is_marked and function else ""
    start = f"{call.id:>{_NUMBER - 2}}  {indent}"
    if columns(start) > width // 2:
        start = f"{call.id:>{_NUMBER - 2}}  "
    place = shortened(brief_place(trace, call), width // 2, known)
    left = width - columns(start)
    room = left - columns(place) - 2
    if room >= _LEAST_CALL:
        text = call_text(trace, call, room, beside=beside, mark=mark)
        yield f"{start}{padded(text, room)}  {place}"
    else:
        yield f"{start}{call_text(trace, call, left, beside=beside, mark=mark)}"
        indent = " " * (columns(start) + 2)
        yield from (indent + each for each in wrapped(place, left - 2))


@dataclass(slots=True)
class _Level:
    """The calls that one call made, and how many of them were shown."""

    first: list[Call]
    """Those that are shown."""
    rest: Iterator[CallId]
    shown: int = 0

    @classmethod
    def of(cls, trace: Trace, parent: CallId | None) -> "_Level":
        children = trace.child_ids(parent)
        return cls([trace.call(each) for each in islice(children, _BREADTH)], children)


def _more(trace: Trace, rest: list[CallId]) -> str:
    more = counted(len(rest), "more call")
    if len(rest) > _MOST_TO_NAME:
        return more
    functions = Counter(trace.call(child).function for child in rest)
    (common, _), *others = functions.most_common()
    name = function_name(trace.function(common), common)
    return f"{more} of {name}{' and others' if others else ''}"


def _one_call(trace: Trace, call: Call) -> Iterator[str]:
    children = list(trace.child_ids(call.id))
    yield from call_details(trace, call, len(children), PLAIN.width)
    if children:
        yield ""
        yield from _below(trace, call.id, 1)


def _events(trace: Trace, call: Call | None) -> Iterator[str]:
    words = EventWords(trace)
    if call is None:
        for event in trace.events(0, trace.event_count - 1):
            yield from hanging(words.line(event), PLAIN.width, further=_BEHIND_MOMENT)
        return
    last = trace.event_count - 1 if call.last is None else call.last
    events = trace.events(call.first, last, call=call.id)
    for event in islice(events, _EVENTS_OF_A_CALL):
        yield from hanging(words.line(event), PLAIN.width, further=_BEHIND_MOMENT)
    if call.events > _EVENTS_OF_A_CALL:
        more = call.events - _EVENTS_OF_A_CALL
        yield f"... {counted(more, 'more event')}; all of them: --json"


def _modules(trace: Trace) -> Iterator[str]:
    modules = trace.modules()
    if not modules:
        yield "The trace names no modules."
    parts = {
        "Recorded": [each for each in modules if each.is_recorded],
        "Not recorded, but part of the project": [each for each in modules if each.is_own],
        "Not recorded": [each for each in modules if not (each.is_recorded or each.is_own)],
    }
    for title, chosen in parts.items():
        if chosen:
            yield f"{title} ({len(chosen):,}):"
        for module in chosen:
            yield from hanging(f"  {module.name}  {module.path}", PLAIN.width, further=6)
            yield f"      {escaped(module.reason)}"


# --- JSON ----------------------------------------------------------------------------------------


def _modules_json(trace: Trace) -> Iterator[str]:
    for module in trace.modules():
        source = trace.source(module) if module.has_source else None
        yield recordings.line(recordings.module(module, source))


def _json(trace: Trace, call: Call | None, *, events: bool, depth: int | None) -> Iterator[str]:
    if events:
        first, last = (0, None) if call is None else (call.first, call.last)
        stop = trace.event_count - 1 if last is None else last
        only = None if call is None else call.id
        for event in trace.events(first, stop, call=only):
            yield recordings.line(recordings.event(event))
    elif call is not None:
        yield recordings.line(recordings.call_in_full(trace, call))
    else:
        yield recordings.line(recordings.trace(trace))
        for each in _down_to(trace, depth):
            yield recordings.line(recordings.call(each))


def _json_with_lines(trace: Trace, call: Call | None, depth: int | None) -> Iterator[str]:
    found = lines_of(trace)
    if call is not None:
        about = recordings.code_of(trace, call, found.of(call))
        yield recordings.line(recordings.call_in_full(trace, call) | about)
        return
    yield recordings.line(recordings.trace(trace))
    told = (
        found.all()
        if depth is None
        else ((each, found.of(each)) for each in _down_to(trace, depth))
    )
    for each, ran in told:
        yield recordings.line(recordings.call(each) | recordings.code_of(trace, each, ran))


def _down_to(trace: Trace, depth: int | None) -> Iterator[Call]:
    if depth is None:
        yield from trace.calls()
        return
    level: list[CallId | None] = [None]
    for _ in range(depth):
        below = [child for parent in level for child in trace.child_ids(parent)]
        yield from map(trace.call, below)
        level = [*below]
