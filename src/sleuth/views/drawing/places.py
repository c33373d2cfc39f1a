"""The place of a function or call in the source, `shop/cart.py:41`, and short forms of it."""

from collections.abc import Sequence
from pathlib import PurePath

from sleuth.trace.events import Call, Function, Module
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.tree.observe import behaviour as words
from sleuth.views.drawing.styled import MORE
from sleuth.views.drawing.styled import width as columns

_RUN_AT = ", run at "
_TEXTS = (words.CODE_BODY, words.EXPRESSION)


def file_of(trace: Trace, function: Function) -> str:
    """Return the path of a function's file, from the folder the program ran in."""
    return module_file(trace, function.module)


def files(trace: Trace) -> list[str]:
    """Return the paths of all recorded files: a short form of one must not fit another."""
    return [escaped(module_file(trace, each)) for each in trace.modules() if each.is_recorded]


def module_file(trace: Trace, module: Module) -> str:
    """Return the path of a module's file, from the folder the program ran in."""
    if module.template is not None:
        return module.template.name
    path = PurePath(module.path)
    cwd = trace.meta.get("cwd")
    if isinstance(cwd, str) and path.is_relative_to(cwd):
        path = path.relative_to(cwd)
    return str(path)


def line_of(function: Function, line: int | None = None) -> int:
    """Return a line of a function, or its first; of a template's code the line in the template."""
    template = function.module.template
    if template is None:
        return function.first_line if line is None else line
    return template.first_line(function) if line is None else template.line(line)


def where(trace: Trace, function: Function | None, line: int | None = None) -> str:
    """Return `file:line`, from the folder the program ran in."""
    if function is None:
        return "(unknown place)"
    return f"{escaped(file_of(trace, function))}:{line_of(function, line)}"


def place_of(trace: Trace, call: Call, line: int | None = None) -> str:
    """Return the place of a call's code; for a text that was compiled also where it was run."""
    function = trace.function(call.function)
    place = where(trace, function, line)
    run_at = _run_at(trace, call, function)
    return f"{place}{_RUN_AT}{run_at}" if run_at else place


def brief_place(trace: Trace, call: Call, line: int | None = None) -> str:
    """Return the place to look at first: for a text that was compiled the line that ran it."""
    function = trace.function(call.function)
    return _run_at(trace, call, function) or where(trace, function, line)


def _run_at(trace: Trace, call: Call, function: Function | None) -> str:
    """Return the place where a text that was compiled was run, if that is known."""
    span = trace.call_site(call)
    if function is None or not is_text(function) or span is None or call.parent is None:
        return ""
    return where(trace, trace.function(trace.call(call.parent).function), span.line)


def is_text(function: Function) -> bool:
    """Whether a function is the body of a text that the program compiled itself."""
    return function.kind in _TEXTS


# --- Short forms ---------------------------------------------------------------------------------


def shortened(place: str, room: int, known: Sequence[str] = ()) -> str:
    """Return a place without some of its folders; it can still be wider than the room.

    The name of the file, the line, and the folders that tell it from other known files stay: a
    place is wrapped where it does not fit, never cut.
    """
    if columns(place) <= room:
        return place
    code, sign, run_at = place.partition(_RUN_AT)
    if sign:
        code = _shortened(code, 0, known)
        return f"{code}{sign}{_shortened(run_at, room - columns(code + sign), known)}"
    return _shortened(place, room, known)


def _shortened(place: str, room: int, known: Sequence[str]) -> str:
    file, sign, number = place.rpartition(":")
    if not sign:
        file, number = place, ""
    parts = file.split("/")
    kept = list(range(len(parts)))
    needed = {len(parts) - 1, *_needed(parts, file, known)}
    for position in range(len(parts)):
        text = f"{_joined(parts, kept)}{sign}{number}"
        if columns(text) <= room:
            return text
        if position not in needed:
            kept.remove(position)
    return f"{_joined(parts, kept)}{sign}{number}"


def _needed(parts: list[str], file: str, known: Sequence[str]) -> set[int]:
    """Return the positions of the folders that tell a file from others of the same name."""
    found = set()
    for other in known:
        ours, theirs = parts[::-1], other.split("/")[::-1]
        if other == file or ours[0] != theirs[0]:
            continue
        pairs = enumerate(zip(ours, theirs, strict=False))
        back = next((at for at, (one, two) in pairs if one != two), min(len(ours), len(theirs)))
        if back < len(parts):
            found.add(len(parts) - 1 - back)
    return found


def _joined(parts: list[str], kept: list[int]) -> str:
    """Return `a/.../c.py`: each gap between the parts that are kept as an ellipsis."""
    found, before = list[str](), -1
    for position in kept:
        if position > before + 1:
            found.append(MORE)
        found.append(parts[position])
        before = position
    return "/".join(found)
