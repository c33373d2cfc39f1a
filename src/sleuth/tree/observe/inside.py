"""Resolves a path in a behaviour to a value, before or after the call."""

from collections.abc import Sequence
from dataclasses import dataclass

from sleuth.trace.events import Moment
from sleuth.trace.history.steps import global_named, hint, stepped
from sleuth.trace.path import RAISED, RETURN, STDOUT, Path, PathError, Step, literal, parse
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Value, shown
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour, Seen

_LISTS = ("yielded", "sent", "stderr", "made")
_EMPTY = {
    STDOUT: "This call printed nothing.",
    "stderr": "This call printed nothing to stderr.",
    "yielded": "This call yielded nothing.",
    "sent": "Nothing was sent to this call.",
    "made": "It made no items, or they are not known.",
}


@dataclass(frozen=True, slots=True)
class Reached:
    """A value at the end of a path."""

    path: Path
    value: Value
    at: Moment
    """Its contents are looked at before the event at this moment."""


def reached(trace: Trace, behaviour: Behaviour, text: str, *, before: bool = False) -> Reached:
    """Return the value of a path after the call, or before it; PathError: there is none."""
    path = parse(text)
    at = behaviour.first if before else behaviour.last
    value, steps = _start(trace, behaviour, path, at)
    done = Path(path.start, path.steps[: len(path.steps) - len(steps)], path.is_global)
    for step in steps:
        value = stepped(trace, value, step, at, str(done)).value
        done = Path(done.start, (*done.steps, step), done.is_global)
    return Reached(path, value, at)


def starts(trace: Trace, behaviour: Behaviour) -> list[str]:
    """Return the names that a path can begin with here."""
    found = [seen.path for seen in (*behaviour.given, *behaviour.used)]
    outcome = behaviour.outcome
    if outcome.how in (words.RETURNED, words.STOPPED):
        found.append(RETURN)
    if outcome.how == words.RAISED:
        found.append(RAISED)
    found += [f"{name}[0]" for name, items in _lists(behaviour).items() if items]
    found += [change.path for change in behaviour.changes if change.holder is None]
    found += list(_globals(trace, behaviour, behaviour.last))
    return list(dict.fromkeys(found))


# --- Where a path begins -------------------------------------------------------------------------


def _start(
    trace: Trace, behaviour: Behaviour, path: Path, at: Moment
) -> tuple[Value, tuple[Step, ...]]:
    if path.is_global:
        found = global_named(trace, path, at)
        return found.value, found.steps
    known = {seen.path: seen.value for seen in behaviour.given}
    if path.start in known:
        return known[path.start], path.steps
    if path.start in (RETURN, RAISED):
        return _outcome(behaviour, path)
    if path.start == STDOUT or path.start in _LISTS:
        return _listed(behaviour, path)
    for variables in (_variables(trace, behaviour, at), _globals(trace, behaviour, at)):
        if path.start in variables:
            return variables[path.start], path.steps
    used = {seen.path: seen.value for seen in behaviour.used}
    if path.start in used:
        return used[path.start], path.steps
    raise _no_start(trace, behaviour, path)


def _variables(trace: Trace, behaviour: Behaviour, at: Moment) -> dict[str, Value]:
    if behaviour.function is None:
        return {}
    return {**trace.closure(behaviour.call, at), **trace.variables(behaviour.call, at)}


def _globals(trace: Trace, behaviour: Behaviour, at: Moment) -> dict[str, Value]:
    return dict(trace.globals(behaviour.function.module, at)) if behaviour.function else {}


def _no_start(trace: Trace, behaviour: Behaviour, path: Path) -> PathError:
    possible = starts(trace, behaviour)
    return PathError(f"There is no {Path(path.start)} here.{hint(path.start, possible)}")


def _outcome(behaviour: Behaviour, path: Path) -> tuple[Value, tuple[Step, ...]]:
    outcome = behaviour.outcome
    if path.start == RETURN and outcome.how in (words.RETURNED, words.STOPPED):
        return outcome.value, path.steps
    if path.start == RAISED and outcome.how == words.RAISED:
        first = literal(path.steps[0].text) if path.steps else None
        if first is not None and path.steps[0].kind == "item":
            return _item_of(outcome.arguments, first, RAISED), path.steps[1:]
        return outcome.value, path.steps
    if behaviour.group is not None and behaviour.part is None:
        raise PathError("A group has no result of its own.")
    what = "returned" if path.start == RETURN else "raised"
    raise PathError(f"It {what} nothing: it {_ended(outcome.how)}.")


def _ended(how: str) -> str:
    return {
        words.UNFINISHED: "never ended",
        words.LOST: "ended unseen",
        words.NEVER_STARTED: "never started",
        words.CLOSED: "was closed",
        words.NOT_REQUESTED: "was asked for no more",
    }.get(how, how)


def _listed(behaviour: Behaviour, path: Path) -> tuple[Value, tuple[Step, ...]]:
    items = [
        Atom(item) if isinstance(item, str) else item.value
        for item in _lists(behaviour)[path.start]
    ]
    number = literal(path.steps[0].text) if path.steps else None
    if number is None:
        if not items:
            raise PathError(_EMPTY[path.start])
        count = f"[0] to [{len(items) - 1}]"
        raise PathError(f"{path.start} needs a number, as in {path.start}[0]; there is {count}.")
    return _item_of(items, number, path.start), path.steps[1:]


def _lists(behaviour: Behaviour) -> dict[str, Sequence[str | Seen]]:
    stream = behaviour.stream
    return {
        STDOUT: behaviour.printed.lines,
        "stderr": behaviour.printed.errors,
        "yielded": stream.given if stream else (),
        "sent": stream.sent if stream else (),
        "made": _made(behaviour),
    }


def _made(behaviour: Behaviour) -> Sequence[Seen]:
    if behaviour.made is None:
        return ()
    return behaviour.made.items if behaviour.made.whole is None else (behaviour.made.whole,)


def _item_of(items: Sequence[Value], number: Atom, name: str) -> Value:
    index = number.content
    if isinstance(index, int) and -len(items) <= index < len(items):
        return items[index]
    if not items:
        raise PathError(_EMPTY.get(name, f"{name} is empty."))
    raise PathError(f"There is no {name}[{shown(number)}]; there is [0] to [{len(items) - 1}].")
