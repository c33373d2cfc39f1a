"""A call on one line: its name, its arguments, its outcome."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from sleuth.trace import conventions
from sleuth.trace.events import Call, EventKind, Function, Outcome
from sleuth.trace.heap.roots import end_of
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Ref, Value, escaped, shown
from sleuth.tree.names.known_names import known_as
from sleuth.tree.observe.stream import stream_in
from sleuth.views.drawing.broken import broken
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.places import is_text
from sleuth.views.drawing.styled import MORE, fitted, windows
from sleuth.views.drawing.styled import width as columns
from sleuth.views.drawing.value_text import SHORT, badge

_Item = TypeVar("_Item")
_MOST_GIVEN = 3
"""Values of a generator that are shown."""
_LEAST_GIVEN = 24
"""Columns that the arguments get before the outcome of a call gets more."""
_BEHIND = 8
"""Columns of the words around an outcome's value."""
_ENDED = {Outcome.RETURNED: "", Outcome.SUSPENDED: ", then not requested"}
_CLOSED = ", then closed"
_BODIES = ("module body", "class body")
_COMPARED = 1_000
"""Columns of the values of neighbours that are compared."""


class _Widths(NamedTuple):
    """Columns of each value on a line; None: the argument is left out."""

    outcome: int
    telling: int | None
    """An argument that tells the call from its neighbours."""
    other: int | None
    receiver: int | None


_LAYOUTS = (
    *(_Widths(each, each, each, each) for each in (60, 40, 24)),
    _Widths(20, 24, 16, 16),
    _Widths(16, 24, 12, 12),
    _Widths(16, 24, 12, None),
    *(_Widths(min(each, 24), each, None, None) for each in (40, 24, 16, 12)),
    _Widths(12, 8, None, None),
)
"""The ways to write a call, from much to little; the first one that fits is taken."""
_DEEP = (160, 100, 60)
"""Columns of each value where a call may take several lines."""
_WITHOUT_NEIGHBOURS = _Widths(16, 16, None, None)
"""Nothing tells which arguments matter: the first ones are shown whole rather than all a little."""


# --- Names ---------------------------------------------------------------------------------------


def function_name(function: Function | None, number: int) -> str:
    """Return the name of a function, or its number if nothing else is known of it."""
    return escaped(function.qualified_name) if function else f"function {number}"


def call_name(trace: Trace, call: Call) -> str:
    """Return the name that a person knows a call by, in a list: `@timed parse`."""
    known = known_as(trace, call)
    if known is None:
        return function_name(trace.function(call.function), call.function)
    return escaped(f"@{known.by} {known.name}" if known.by else known.name)


# --- One line ------------------------------------------------------------------------------------


def call_lines(
    trace: Trace, call: Call, room: int, lines: int, *, beside: Sequence[Call] = ()
) -> list[str]:
    """Return a call with what its arguments contain, on a few lines if one would cut them."""
    text = call_text(trace, call, room, beside=beside)
    if lines == 1:
        return [text]
    given = _Given(trace, call, beside)
    name, total = call_name(trace, call), room * lines * 7 // 8
    function = trace.function(call.function)
    if function is not None and (is_text(function) or function.kind in _BODIES):
        return [text]
    for width in _DEEP:
        came = _fitted_outcome(trace, call, width, is_deep=True)
        longer = f"{name}({given.deep(width)}) {came}"
        rows = broken(longer, room, further=2)
        if columns(longer) <= total and len(rows) <= lines:
            return rows
    for part in (8, 7, 6, 5):  # what is broken between its items fills no row to its end
        longer = call_text(trace, call, room * lines * part // 8, beside=beside)
        rows = broken(longer, room, further=2)
        if len(rows) <= lines:
            return rows
    return [text]


def call_text(
    trace: Trace, call: Call, room: int, *, beside: Sequence[Call] = (), mark: str = ""
) -> str:
    """Return `f(x=1) -> 2`, cut to a number of columns.

    `self` and arguments that are the same in the calls beside it are left out first, then values
    get shorter: an argument that tells the call from its neighbours is the last to go.
    """
    function = trace.function(call.function)
    name = call_name(trace, call)
    if function is not None and (is_text(function) or function.kind in _BODIES):
        came = _fitted_outcome(trace, call, 24)
        return fitted(headed(trace, call, "", came), room)
    given = _Given(trace, call, [each for each in beside if each.function == call.function])
    came = ""
    for layout in _LAYOUTS:
        came = _fitted_outcome(trace, call, layout.outcome)
        text = f"{name}({given.text(layout)}){mark} {came}"
        if columns(text) <= room:
            return text
    value = trace.result(call) if call.outcome is Outcome.RETURNED else None
    brief = [f"{mark} -> {badge(value)}"] if isinstance(value, Ref) else []
    return _cut(name, given, [f"{mark} {came}", *brief], room)


def _cut(name: str, given: "_Given", ways: Sequence[str], room: int) -> str:
    """Return a call for which no layout leaves enough: the name stays, then what tells it apart."""
    brief = given.text(_LAYOUTS[-1] if given.is_compared else _WITHOUT_NEIGHBOURS)
    left = room - columns(f"{name}()")
    # Without neighbours the outcome says more than the last arguments.
    most = left - columns(brief) if given.is_compared else max(left - _LEAST_GIVEN, left // 2)
    fitting = (each for each in ways if columns(each) <= most)
    behind = next(fitting, fitted(ways[-1], most) if most > _BEHIND else "")
    return fitted(f"{name}({fitted(brief, max(left - columns(behind), len(MORE)))}){behind}", room)


def call_texts(trace: Trace, calls: Sequence[Call], room: int) -> Iterator[str]:
    """Yield a line for each call of a list, so that neighbours can be told apart."""
    for position, call in enumerate(calls):
        yield call_text(trace, call, room, beside=neighbours(calls, position))


def neighbours(items: Sequence[_Item], position: int) -> list[_Item]:
    """Return the items before and after one in a list."""
    return [*items[max(position - 1, 0) : position], *items[position + 1 : position + 2]]


def headed(trace: Trace, call: Call, given: str, came: str) -> str:
    """Return a call on one line, of its parts: `f(x=1) -> 2`; of a body which one it is."""
    function = trace.function(call.function)
    ended = "" if call.outcome is Outcome.RETURNED else f" {came}"
    if function is not None and function.kind == _BODIES[0]:
        return f"module {escaped(function.module.name)}{ended}"
    if function is not None and function.kind == _BODIES[1]:
        return f"class {escaped(function.qualified_name)}{ended}"
    if function is not None and is_text(function):
        return f"{call_name(trace, call)} {came}"
    return f"{call_name(trace, call)}({given}) {came}"


class _Given:
    """The arguments of a call, compared with those of its neighbours."""

    def __init__(self, trace: Trace, call: Call, beside: Sequence[Call]) -> None:
        self._pictures = Pictures(trace)
        self._call = call
        self._given = given_to(trace, call)
        others = [(each, dict(given_to(trace, each))) for each in beside]
        self._beside = {
            name: [(other[name], each.first) for each, other in others if name in other]
            for name, _ in self._given
        }
        names = [name for name, _ in self._given]
        receivers = conventions.of(trace.meta.get("language")).receivers
        self._receiver = names[0] if names and names[0] in receivers else None
        rest = {name for name in names if name != self._receiver}
        differing = {name for name in names if self._differs(name)}
        self.is_compared = bool(differing)
        """Whether an argument tells the call from its neighbours."""
        self._telling = differing or rest or set(names)

    def text(self, layout: _Widths) -> str:
        """Return `x=1, y='a'`; an ellipsis stands for arguments that are left out."""
        texts: list[str] = []
        for name, value in self._given:
            room = (
                layout.telling
                if name in self._telling
                else layout.receiver
                if name == self._receiver
                else layout.other
            )
            if room is not None:
                sign = "=" if name else ""
                texts.append(f"{escaped(name)}{sign}{self._value(name, value, room)}")
            elif texts[-1:] != [MORE]:
                texts.append(MORE)
        return ", ".join(texts)

    def deep(self, room: int) -> str:
        """Return `x=1, y='a'` with the contents of objects, each value of at most that width."""
        at = self._call.first
        return ", ".join(
            f"{escaped(name)}{'=' if name else ''}{self._pictures.deep(value, at, room)}"
            for name, value in self._given
        )

    def _differs(self, name: str) -> bool:
        value = dict(self._given)[name]
        ours = self._whole(value, self._call.first)
        return any(ours != self._whole(other, at) for other, at in self._beside[name])

    def _value(self, name: str, value: Value, room: int) -> str:
        text = argument_text(self._pictures, value, self._call.first, room)
        for other, at in self._beside[name] if text.endswith(MORE) else ():
            if text == argument_text(self._pictures, other, at, room):
                whole = self._whole(value, self._call.first)
                return windows(whole, self._whole(other, at), (room, room))[0]
        return text

    def _whole(self, value: Value, at: int) -> str:
        return self._pictures.of(value, at, width=_COMPARED, depth=SHORT)


def argument_text(pictures: Pictures, value: Value, at: int, room: int) -> str:
    """Return the value of an argument; an object with too much in it by its number."""
    text = pictures.short(value, at, room)
    if isinstance(value, Ref) and text.startswith("<") and not text.endswith(">"):
        # The number of an object says more than the beginning of its contents.
        names = (pictures.name(value), pictures.code_name(value) or badge(value))
        text = next((each for each in names if columns(each) <= room), text)
    return text


# --- Parts of the line ---------------------------------------------------------------------------


def given_to(trace: Trace, call: Call) -> list[tuple[str, Value]]:
    """Return the arguments of a call with their names; a surplus one has none."""
    function = trace.function(call.function)
    given = trace.arguments(call)
    names = function.parameters if function else ()
    if len(names) < len(given):
        names = (*names, *[""] * (len(given) - len(names)))
    pairs = zip(names, given, strict=False)
    # The iterator of a generator expression has a name that nobody can write: `.0`.
    return [
        (name, value)
        for name, value in pairs
        if not isinstance(value, Absent) and not name.startswith(".")
    ]


def arguments(trace: Trace, call: Call, *, width: int) -> str:
    """Return `x=1, y='a'`, each value of about that width."""
    pictures = Pictures(trace)
    return ", ".join(
        f"{escaped(name)}{'=' if name else ''}"
        f"{pictures.of(value, call.first, width=width, depth=SHORT)}"
        for name, value in given_to(trace, call)
    )


def came_of(trace: Trace, call: Call, *, width: int) -> str:
    """Return the outcome in a few words: `-> 3`, `gave 0, 2, 4, ... 9 more`, `raised ...`."""
    function = trace.function(call.function)
    ended = _CLOSED if _is_closed(trace, call) else _ENDED.get(call.outcome)
    last = int(end_of(trace, call))
    stream = stream_in(trace, call, function, call.first, last)
    if stream is None or ended is None or not call.is_started:
        return outcome(trace, call, width=width)
    pictures = Pictures(trace)
    given = [
        pictures.of(each.value, each.at, width=width, depth=SHORT)
        for each in stream.given[:_MOST_GIVEN]
    ]
    more = stream.count - len(given)
    values = ", ".join([*given, f"... {more:,} more"] if more > 0 else given) or "nothing"
    return f"gave {values}{ended}"


def _fitted_outcome(trace: Trace, call: Call, room: int, *, is_deep: bool = False) -> str:
    if is_deep and call.outcome is Outcome.RETURNED and not _has_stream(trace, call):
        return f"-> {Pictures(trace).deep(trace.result(call), call.last or 0, room)}"
    return fitted(came_of(trace, call, width=room), room + _BEHIND)


def _has_stream(trace: Trace, call: Call) -> bool:
    function = trace.function(call.function)
    return stream_in(trace, call, function, call.first, int(end_of(trace, call))) is not None


def _is_closed(trace: Trace, call: Call) -> bool:
    """Whether a generator was closed: then the exception that left it is no error."""
    closing = conventions.of(trace.meta.get("language")).closing
    value = trace.result(call) if call.outcome is Outcome.RAISED else None
    return isinstance(value, Ref) and value.type_name in closing


def outcome(trace: Trace, call: Call, *, width: int, depth: int = SHORT) -> str:
    """Return `-> 3`, `raised <ValueError #2>`, `(never ended)`."""
    match call.outcome:
        case Outcome.RETURNED:
            return f"-> {_result(trace, call, width, depth)}"
        case Outcome.RAISED:
            return f"raised {_raised(trace, call, width)}"
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


def _raised(trace: Trace, call: Call, width: int) -> str:
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
