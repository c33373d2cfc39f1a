"""`sleuth show`: a trace as a tree of calls, one call, events, modules; as words or JSON."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sleuth.errors import UsageError
from sleuth.trace.events import Call, CallId
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.tree.coverage import lines_of
from sleuth.views import trace_files
from sleuth.views.drawing import text
from sleuth.views.wire import recordings
from sleuth.views.words import state_text
from sleuth.views.words.events import EventWords

_DEPTH = 3
_BREADTH = 10
_MOST_TO_NAME = 20_000
"""Among more calls than this, the functions are not counted: it would take too long."""
_EVENTS_OF_A_CALL = 200


def main(argv: list[str]) -> int:
    """Carry out the command."""
    options = _parser().parse_args(argv)
    trace = Trace(trace_files.find(options.trace, folder=Path(trace_files.FOLDER)))
    sys.stdout.writelines(f"{line}\n" for line in _lines(trace, options))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sleuth show", description="Show a recorded run: its calls as a tree."
    )
    trace_files.add_trace(parser)
    parser.add_argument(
        "--depth", type=int, metavar="N", help="levels of calls to show (default: 3)"
    )
    parser.add_argument("--call", type=int, metavar="ID", help="everything about one call")
    parser.add_argument(
        "--at",
        type=int,
        metavar="MOMENT",
        help="all variables just before the event at this moment",
    )
    parser.add_argument("--events", action="store_true", help="the events in order")
    parser.add_argument(
        "--modules", action="store_true", help="which modules were recorded, and why or why not"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument(
        "--lines", action="store_true", help="with --json: the lines that each call ran itself"
    )
    return parser


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


def _call(trace: Trace, number: int) -> Call:
    if 0 <= number < trace.call_count:
        return trace.call(number)
    if trace.call_count == 0:
        raise UsageError("This trace has no calls. See why: sleuth show --modules")
    raise UsageError(f"There is no call {number}: they go from 0 to {trace.call_count - 1:,}.")


def _at(trace: Trace, moment: int, call: Call | None, *, json: bool) -> Iterator[str]:
    if not 0 <= moment <= trace.event_count:
        raise UsageError(
            f"There is no moment {moment}: they go from 0 to {trace.event_count:,}, the end."
        )
    call = call or state_text.running_at(trace, moment)
    if json:
        return iter([recordings.line(recordings.state(trace, call, moment))])
    if call is None:
        return iter([f"moment {moment:,}: no recorded call runs"])
    return state_text.state(trace, call, moment)


# --- Words ---------------------------------------------------------------------------------------


def _tree(trace: Trace, depth: int) -> Iterator[str]:
    yield from text.header(trace)
    yield ""
    if trace.call_count == 0:
        yield "No calls were recorded. See why: sleuth show --modules"
    yield from _below(trace, None, depth)


def _below(trace: Trace, parent: CallId | None, depth: int) -> Iterator[str]:
    # Without recursion, as a trace can be deeper than Python's stack.
    levels = [_Level(trace.child_ids(parent))]
    while levels:
        level, indent = levels[-1], text.indentation(len(levels) - 1)
        child = next(level.children, None) if level.shown < _BREADTH else None
        if child is None:
            if rest := list(level.children):
                yield f"        {indent}... {_more(trace, rest)}"
            levels.pop()
            continue
        level.shown += 1
        yield text.call_line(trace, trace.call(child), indent=len(levels) - 1)
        if len(levels) < depth:
            levels.append(_Level(trace.child_ids(child)))
        elif inside := sum(1 for _ in trace.child_ids(child)):
            yield f"        {indent}  ... made {text.counted(inside, 'call')}"


@dataclass(slots=True)
class _Level:
    """How far the children of one call are shown."""

    children: Iterator[CallId]
    shown: int = 0


def _more(trace: Trace, rest: list[CallId]) -> str:
    more = text.counted(len(rest), "more call")
    if len(rest) > _MOST_TO_NAME:
        return more
    functions = Counter(trace.call(child).function for child in rest)
    (common, _), *others = functions.most_common()
    name = text.function_name(trace.function(common), common)
    return f"{more} of {name}{' and others' if others else ''}"


def _one_call(trace: Trace, call: Call) -> Iterator[str]:
    children = list(trace.child_ids(call.id))
    yield from text.call_in_full(trace, call, len(children))
    if children:
        yield ""
        yield from _below(trace, call.id, 1)


def _events(trace: Trace, call: Call | None) -> Iterator[str]:
    words = EventWords(trace)
    if call is None:
        for event in trace.events(0, trace.event_count - 1):
            yield words.line(event)
        return
    last = trace.event_count - 1 if call.last is None else call.last
    events = trace.events(call.first, last, call=call.id)
    for event in islice(events, _EVENTS_OF_A_CALL):
        yield words.line(event)
    if call.events > _EVENTS_OF_A_CALL:
        more = call.events - _EVENTS_OF_A_CALL
        yield f"... {text.counted(more, 'more event')}; all of them: --json"


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
            yield f"  {escaped(module.name)}  {escaped(module.path)}"
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
