"""A small heap of Python objects, changed at random, recorded, and copied at every moment."""

from copy import deepcopy
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from sleuth.trace.events import EventKind, FunctionRow, SiteRow
from sleuth.trace.reader import Trace
from sleuth.trace.store.encode import Segment
from sleuth.trace.store.writer import Writer
from sleuth.trace.values import ABSENT, Atom, Constant, Part, Ref, Shape, Value

NAMES = ("x", "y", "z")
FUNCTION = 1
ITEM_SITE, ROOT_SITE = 10, 20
"""Sites: 1 to 3 set the attributes x, y, z; 10 sets items; 20 to 23 set variables v0 to v3."""
KEYS: tuple[Any, ...] = (0, 1, 1.0, "k", "l", 2)


class Thing:
    """An object with attributes."""


class Model:
    """Objects, what is told of them, and copies of all of them for every moment."""

    def __init__(self, draw: st.DrawFn, *, steps: int) -> None:
        self.draw = draw
        self.objects: list[Any] = []
        self.told: set[int] = set()
        self.unsure: set[int] = set()
        self.segments = [Segment()]
        self.moments: list[tuple[list[Any], frozenset[int], list[Any]]] = []
        self.roots: list[Any] = [None] * 4
        self.first_told: dict[int, tuple[int, Any]] = {}
        self.segment.enter(FUNCTION, [])
        self.remember()
        for _ in range(3):
            self.create()
        for _ in range(draw(st.integers(1, steps))):
            self.step()
        self.segment.leave(Constant("None"))
        self.remember()

    @property
    def segment(self) -> Segment:
        return self.segments[-1]

    def remember(self) -> None:
        """Copy all objects as they are after an event."""
        plain = [self.flat(number) for number in range(len(self.objects))]
        roots = [self.value(root) for root in self.roots]
        self.moments.append((plain, frozenset(self.unsure), roots))

    def flat(self, number: int) -> Any:
        """The contents of one object as values."""
        thing = self.objects[number]
        if isinstance(thing, list):
            return [self.value(item) for item in thing]
        if isinstance(thing, dict):
            return {key: self.value(item) for key, item in thing.items()}
        if isinstance(thing, set):
            return set(thing)
        return {name: self.value(item) for name, item in vars(thing).items()}

    def value(self, content: Any) -> Value:
        if content is None:
            return Constant("None")
        if isinstance(content, int | float | str):
            return Atom(content)
        number = next(n for n, thing in enumerate(self.objects) if thing is content)
        return self.ref(number)

    def ref(self, number: int) -> Ref:
        return Ref(type(self.objects[number]).__name__, 2 * number)

    def part(self, number: int) -> Part:
        return part_of(self.objects[number], self.flat(number))

    def create(self) -> None:
        kind = self.draw(st.sampled_from([list, dict, set, Thing]))
        self.objects.append(kind())

    def some(self) -> Any:
        """A value: a number, a text or one of the objects."""
        choice = self.draw(st.integers(0, 5))
        if choice < 3:
            return self.draw(st.integers(-2, 3))
        return self.draw(st.sampled_from(self.objects)) if choice < 5 else "text"

    def sight(self, *numbers: int) -> None:
        """Say what objects contain that are mentioned for the first time."""
        for number in numbers:
            if number not in self.told:
                self.told.add(number)
                self.segment.contents(2 * number, self.part(number))
                self.first_told[number] = len(self.moments), self.flat(number)

    def number(self, thing: Any) -> int:
        return next((n for n, other in enumerate(self.objects) if other is thing), -1)

    def seen(self, thing: Any) -> Value:
        number = self.number(thing)
        if number >= 0:
            self.sight(number)
        return self.value(thing)

    def step(self) -> None:
        choice = self.draw(st.integers(0, 9))
        if choice == 0:
            self.create()
            return
        if choice == 1:
            self.segments.append(Segment())
            return
        if choice == 2:
            slot = self.draw(st.integers(0, 3))
            self.roots[slot] = self.some()
            self.segment.at(EventKind.BIND, ROOT_SITE + slot, self.seen(self.roots[slot]))
            self.remember()
            return
        thing = self.draw(st.sampled_from(self.objects))
        number = self.number(thing)
        if choice == 3 and number in self.told and self.draw(st.booleans()):
            self.segment.unsure(2 * number)
            self.unsure.add(number)
            # It takes no moment: it holds for the state before the next event already.
            plain, _, roots = self.moments[-1]
            self.moments[-1] = plain, frozenset(self.unsure), roots
            return
        self.sight(number)
        if choice == 4:
            self.by_others(thing, number)
        elif isinstance(thing, list):
            self.in_list(thing, number)
        elif isinstance(thing, dict):
            self.in_dict(thing, number)
        elif isinstance(thing, Thing):
            self.in_thing(thing, number)
        else:
            self.by_others(thing, number)
        self.remember()

    def by_others(self, thing: Any, number: int) -> None:
        """Change an object as code that is not recorded does."""
        if isinstance(thing, list):
            thing[:] = [self.some() for _ in range(self.draw(st.integers(0, 4)))]
            self.told_values(thing)
        elif isinstance(thing, dict):
            thing.clear()
            thing.update({self.draw(st.sampled_from(KEYS)): self.some() for _ in range(2)})
            self.told_values(thing.values())
        elif isinstance(thing, set):
            thing ^= {self.draw(st.sampled_from(KEYS))}
        else:
            setattr(thing, self.draw(st.sampled_from(NAMES)), self.some())
            self.told_values(vars(thing).values())
        since = self.draw(st.none() | st.integers(0, len(self.moments) - 1))
        self.segment.changed(2 * number, self.part(number), place=3, since=since)
        self.unsure.discard(number)

    def told_values(self, things: Any) -> None:
        for thing in list(things):
            self.seen(thing)

    def in_list(self, thing: list[Any], number: int) -> None:
        index, value = self.draw(st.integers(-6, 6)), self.some()
        choice = self.draw(st.integers(0, 4))
        ref = self.ref(number)
        told = self.seen(value)
        if choice == 0:
            self.segment.at(EventKind.SET_ITEM, ITEM_SITE, ref, Atom(index), told)
            if -len(thing) <= index < len(thing):
                thing[index] = value
        elif choice == 1:
            self.segment.at(EventKind.DELETE_ITEM, ITEM_SITE, ref, Atom(index))
            if -len(thing) <= index < len(thing):
                del thing[index]
        elif choice == 2:
            start = min(abs(index), len(thing))
            removed = self.draw(st.integers(0, len(thing) - start))
            more = [value] * self.draw(st.integers(0, 3))
            self.segment.spliced(2 * number, start, removed, [told] * len(more), place=2)
            thing[start : start + removed] = more
        else:
            low, high = (self.draw(st.none() | st.integers(-5, 5)) for _ in range(2))
            limits = self.value(low), self.value(high)
            if choice == 3:
                self.segment.at(EventKind.DELETE_SLICE, ITEM_SITE, ref, *limits)
                del thing[low:high]
                return
            lists = [other for other in self.objects if isinstance(other, list)]
            source = self.draw(st.sampled_from(lists))
            given = self.seen(source)
            if self.number(source) in self.unsure and source is not thing:
                self.unsure.add(number)
            self.segment.at(EventKind.SET_SLICE, ITEM_SITE, ref, *limits, given)
            thing[low:high] = source

    def in_dict(self, thing: dict[Any, Any], number: int) -> None:
        key, value = self.draw(st.sampled_from(KEYS)), self.some()
        choice = self.draw(st.integers(0, 3))
        told, ref = self.seen(value), self.ref(number)
        if choice == 0:
            self.segment.at(EventKind.DELETE_ITEM, ITEM_SITE, ref, Atom(key))
            thing.pop(key, None)
        elif choice == 1:
            self.segment.put(2 * number, Atom(key), told, place=2)
            thing[key] = value
        elif choice == 2:
            self.segment.at(EventKind.SET_ITEM, ITEM_SITE, ref, Atom(key), told, asked=True)
        else:
            self.segment.at(EventKind.SET_ITEM, ITEM_SITE, ref, Atom(key), told)
            thing[key] = value

    def in_thing(self, thing: Thing, number: int) -> None:
        slot, value = self.draw(st.integers(0, 2)), self.some()
        choice = self.draw(st.integers(0, 3))
        told, ref = self.seen(value), self.ref(number)
        if choice == 0:
            self.segment.at(EventKind.DELETE_ATTRIBUTE, 1 + slot, ref)
            vars(thing).pop(NAMES[slot], None)
        elif choice == 1:
            self.segment.put(2 * number, Atom(NAMES[slot]), told, place=2)
            setattr(thing, NAMES[slot], value)
        else:
            self.segment.at(EventKind.SET_ATTRIBUTE, 1 + slot, ref, told)
            setattr(thing, NAMES[slot], value)

    def state(self, at: int) -> tuple[list[Any], frozenset[int], list[Any]]:
        """Return the recorded state of all objects before the event at a moment."""
        return deepcopy(self.moments[at - 1])

    def write(self, path: Path) -> Trace:
        writer = Writer.create(path, {"identity": "numbered"})
        module = writer.add_module(name="m", path="m.py", recorded=True, reason="", source=None)
        function = FunctionRow(FUNCTION, "f", "f", "function", 1, 9, "", (), [(2, 5, 0, 5, 9)])
        writer.add_functions(module, [function])
        named = [(1 + slot, "attribute", name) for slot, name in enumerate(NAMES)]
        named += [(ITEM_SITE, "item", "")]
        named += [(ROOT_SITE + slot, "local", f"v{slot}") for slot in range(4)]
        writer.add_sites(
            module, [SiteRow(n, FUNCTION, kind, name, 1, 0, 1, 1, 0) for n, kind, name in named]
        )
        for number, segment in enumerate(self.segments):
            writer.write_segment(number, segment.data, closed=True)
        writer.finish({"how": "exited", "status": 0})
        return Trace(path)


def part_of(thing: Any, flat: Any) -> Part:
    if isinstance(thing, list):
        return Part("sequence", tuple(flat), len(flat))
    if isinstance(thing, set):
        return Part("set", tuple(map(Atom, flat)), len(flat))
    kind = "mapping" if isinstance(thing, dict) else "attributes"
    return Part(kind, tuple(flat.values()), len(flat), tuple(map(Atom, flat)))


def unflat(shape: Shape | None) -> Any:
    """The same as `Model.flat` gives, from a shape."""
    if shape is None:
        return None
    (part,) = shape.parts
    assert part.is_complete
    assert part.full_length == len(part.items)
    if part.kind == "sequence":
        return list(part.items)
    if part.kind == "set":
        return {content(item) for item in part.items}
    return {content(key): value for key, value in part.pairs}


def content(value: Value) -> Any:
    assert isinstance(value, Atom)
    return value.content


def models(steps: int = 25) -> st.SearchStrategy[Model]:
    return st.composite(lambda draw: Model(draw, steps=steps))()


__all__ = ["ABSENT", "Model", "models", "unflat"]
