"""Resolves a path in a behaviour to a value, before or after the call."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from sleuth.trace.events import Moment
from sleuth.trace.heap.arrays import layout
from sleuth.trace.heap.item_holder import item_holder
from sleuth.trace.heap.keys import position_of, shown_key
from sleuth.trace.path import RAISED, RETURN, STDOUT, Path, PathError, Step, literal, parse
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Absent, Atom, Part, Ref, Shape, Value, shown
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour, Seen

_MOST_NAMED = 6
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
        value = _step(trace, value, step, at, str(done))
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
        return _global(trace, path, at)
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
    return PathError(f"There is no {Path(path.start)} here.{_hint(path.start, possible)}")


def _hint(name: str, possible: Sequence[str]) -> str:
    near = get_close_matches(name, possible, n=3)
    if near:
        return f" Did you mean {' or '.join(near)}?"
    if not possible:
        return ""
    end = ", ..." if len(possible) > _MOST_NAMED else "."
    return f" There is {', '.join(possible[:_MOST_NAMED])}{end}"


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


def _global(trace: Trace, path: Path, at: Moment) -> tuple[Value, tuple[Step, ...]]:
    """Find the longest sequence of names that is a module; the next name is the variable."""
    names = [path.start]
    for step in path.steps:
        if step.kind != "attribute":
            break
        names.append(step.text)
    modules = {module.name: module for module in trace.modules() if module.is_recorded}
    for length in range(len(names) - 1, 0, -1):
        module = modules.get(".".join(names[:length]))
        if module is None:
            continue
        variables = trace.globals(module, at)
        if names[length] in variables:
            return variables[names[length]], path.steps[length:]
        hint = _hint(names[length], list(variables))
        raise PathError(f"The module {module.name} has no global {names[length]}.{hint}")
    if path.start in modules:
        raise PathError(f"{path} names a module; add a variable: {path}.NAME")
    hint = _hint(".".join(names[:-1] or names), list(modules))
    raise PathError(f"No recorded module begins with {path.start}.{hint}")


# --- Steps ---------------------------------------------------------------------------------------


def _step(trace: Trace, value: Value, step: Step, at: Moment, done: str) -> Value:
    if not isinstance(value, Ref):
        raise PathError(f"{done} is {shown(value, width=30)}: it has no parts to go into.")
    shape = trace.shape(value, at)
    if shape is None:
        raise PathError(f"What {done} contains is not known: {shown(value)}.")
    if step.kind == "attribute":
        found = _attribute(shape, step, done)
    else:
        found = _item(trace, item_holder(trace, value, shape, at), step, at, done)
    if isinstance(found, Absent):
        raise PathError(f"{done}{step} has no value then.")
    return found


def _attribute(shape: Shape, step: Step, done: str) -> Value:
    names: list[str] = []
    for part in shape.parts:
        if part.kind == "cell" and step.text == "cell_contents":
            return part.items[0] if part.items else ABSENT
        if part.kind not in ("attributes", "summary"):
            continue
        for key, item in part.pairs:
            name = key.content if isinstance(key, Atom) else None
            if name == step.text:
                return item
            names.append(str(name))
    raise PathError(f"{done} has no attribute {step.text}.{_hint(step.text, names)}")


def _item(trace: Trace, shape: Shape, step: Step, at: Moment, done: str) -> Value:
    problems = []
    places = layout(shape)
    for part in shape.parts:
        if part.kind == "sequence" and places is not None:
            position = places.position(step.text)
            if position is not None:
                return _indexed(part, position, done)
            problems.append(f"There is no {done}{step}; its shape is {places.lengths}.")
        elif part.kind == "sequence":
            number = literal(step.text)
            if number is not None and isinstance(number.content, int):
                return _indexed(part, number.content, done)
            problems.append(f"{done} has items by number: [0] to [{part.full_length - 1}].")
        elif part.kind in ("mapping", "set"):
            keys = part.keys if part.kind == "mapping" else part.items
            position = position_of(step.text, keys, trace.shape, at)
            if position is not None:
                return part.items[position]
            known = [shown_key(key, trace.shape, at) for key in keys[:200]]
            problems.append(f"{done} has no key {step.text}.{_hint(step.text, known)}")
        elif part.kind == "bytes":
            return _byte(part, step, done)
    raise PathError(problems[0] if problems else f"{done} has attributes only, no items.")


def _indexed(part: Part, index: int, done: str) -> Value:
    place = index + part.full_length if index < 0 else index
    if not 0 <= place < part.full_length:
        there = f"[0] to [{part.full_length - 1}]" if part.full_length else "nothing"
        raise PathError(f"There is no {done}[{index}]; there is {there}.")
    if place >= len(part.items):
        raise PathError(f"{done}[{index}] was not kept: only the first {len(part.items):,} were.")
    return part.items[place]


def _byte(part: Part, step: Step, done: str) -> Value:
    number, content = literal(step.text), part.items[0] if part.items else None
    match number, content:
        case Atom(int() as index), Atom(bytes() as whole) if -len(whole) <= index < len(whole):
            return Atom(whole[index])
    raise PathError(f"There is no {done}{step}.")
