"""The steps of a path: from an object to one of its parts, with a sentence where there is none."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from sleuth.trace.events import Module
from sleuth.trace.heap.arrays import layout
from sleuth.trace.heap.item_holder import item_holder
from sleuth.trace.heap.keys import position_of, shown_key
from sleuth.trace.path import NoOwnAttribute, NotKnownThere, Path, PathError, Step, literal
from sleuth.trace.values import ABSENT, Absent, Atom, Cut, NotKept, Part, Ref, Shape, Value, shown

if TYPE_CHECKING:
    from sleuth.trace.reader import Trace

_MOST_NAMED = 6


@dataclass(frozen=True, slots=True)
class Stepped:
    """A part of an object."""

    value: Value
    holder: Ref
    kind: str
    """The kind of part."""
    key: Value
    """The index, the key, the name of the attribute, the member."""


@dataclass(frozen=True, slots=True)
class NamedGlobal:
    """A global that a path begins with, and the steps behind its name."""

    module: Module
    name: str
    value: Value
    steps: tuple[Step, ...]


def hint(name: str, possible: Sequence[str]) -> str:
    """Return the names that are nearest to one that there is not; else the first ones."""
    near = get_close_matches(name, possible, n=3)
    if near:
        return f" Did you mean {' or '.join(near)}?"
    if not possible:
        return ""
    end = ", ..." if len(possible) > _MOST_NAMED else "."
    return f" There is {', '.join(possible[:_MOST_NAMED])}{end}"


def global_named(trace: "Trace", path: Path, at: int) -> NamedGlobal:
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
        variables, name = trace.globals(module, at), names[length]
        if name in variables:
            return NamedGlobal(module, name, variables[name], path.steps[length:])
        near = hint(name, list(variables))
        raise PathError(f"The module {module.name} has no global {name}.{near}")
    if path.start in modules:
        raise PathError(f"{path} names a module; add a variable: {path}.NAME")
    near = hint(".".join(names[:-1] or names), list(modules))
    raise PathError(f"No recorded module begins with {path.start}.{near}")


def stepped(trace: "Trace", value: Value, step: Step, at: int, done: str) -> Stepped:
    """Go one step into an object; `done` is the path that leads to it."""
    if isinstance(value, NotKept | Cut):
        raise NotKnownThere(f"{done} is {shown(value, width=30)}: it has no known parts.")
    if not isinstance(value, Ref):
        raise PathError(f"{done} is {shown(value, width=30)}: it has no parts to go into.")
    shape = trace.shape(value, at)
    if shape is None:
        raise NotKnownThere(f"What {done} contains is not known: {shown(value)}.")
    if step.kind == "attribute":
        found = _attribute(value, shape, step, done)
    else:
        found = _item(trace, item_holder(trace, value, shape, at), step, at, done)
    if isinstance(found.value, Absent):
        raise PathError(f"{done}{step} has no value then.")
    return found


def _attribute(holder: Ref, shape: Shape, step: Step, done: str) -> Stepped:
    names: list[str] = []
    for part in shape.parts:
        if part.kind == "cell" and step.text == "cell_contents":
            return Stepped(part.items[0] if part.items else ABSENT, holder, part.kind, ABSENT)
        if part.kind not in ("attributes", "summary"):
            continue
        for key, item in part.pairs:
            name = key.content if isinstance(key, Atom) else None
            if name == step.text:
                return Stepped(item, holder, part.kind, key)
            names.append(str(name))
    # The class may have it: only what the object itself holds is recorded.
    raise NoOwnAttribute(f"{done} has no attribute {step.text}.{hint(step.text, names)}")


def _item(trace: "Trace", held: tuple[Ref, Shape], step: Step, at: int, done: str) -> Stepped:
    holder, shape = held
    problems = []
    places = layout(shape)
    for part in shape.parts:
        if part.kind == "sequence" and places is not None:
            position = places.position(step.text)
            if position is not None:
                return _indexed(holder, part, position, done)
            problems.append(f"There is no {done}{step}; its shape is {places.lengths}.")
        elif part.kind == "sequence":
            number = literal(step.text)
            if number is not None and isinstance(number.content, int):
                return _indexed(holder, part, number.content, done)
            problems.append(f"{done} has items by number: [0] to [{part.full_length - 1}].")
        elif part.kind in ("mapping", "set"):
            keys = part.keys if part.kind == "mapping" else part.items
            position = position_of(step.text, keys, trace.shape, at)
            if position is not None:
                return Stepped(part.items[position], holder, part.kind, keys[position])
            known = [shown_key(key, trace.shape, at) for key in keys[:200]]
            problems.append(f"{done} has no key {step.text}.{hint(step.text, known)}")
            if not part.is_complete:
                raise NotKnownThere(problems[-1])
        elif part.kind == "bytes":
            return _byte(holder, part, step, done)
    raise PathError(problems[0] if problems else f"{done} has attributes only, no items.")


def _indexed(holder: Ref, part: Part, index: int, done: str) -> Stepped:
    place = index + part.full_length if index < 0 else index
    if not 0 <= place < part.full_length:
        there = f"[0] to [{part.full_length - 1}]" if part.full_length else "nothing"
        raise PathError(f"There is no {done}[{index}]; there is {there}.")
    if place >= len(part.items):
        raise NotKnownThere(
            f"{done}[{index}] was not kept: only the first {len(part.items):,} were."
        )
    return Stepped(part.items[place], holder, part.kind, Atom(place))


def _byte(holder: Ref, part: Part, step: Step, done: str) -> Stepped:
    number, content = literal(step.text), part.items[0] if part.items else None
    match number, content:
        case Atom(int() as index), Atom(bytes() as whole) if -len(whole) <= index < len(whole):
            return Stepped(Atom(whole[index]), holder, part.kind, Atom(index % len(whole)))
    raise PathError(f"There is no {done}{step}.")
