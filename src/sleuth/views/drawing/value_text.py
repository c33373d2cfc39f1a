"""Values as text in the notation of Python's literals.

    [1, 2, <Line #4 'tea'>]    {'a': 1}    <Cart #3 owner='eva' lines=[3 items]>    <... #3>

`#4` is an object's number; `#4?` says that it is only probably the same object each time.
Functions and classes that a recorded module defines or imports are named instead.  This is not the
walk of `trace/heap/reachable.py`: an object is drawn in each place that holds it, nested.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeGuard

from sleuth.trace import conventions
from sleuth.trace.heap.recipe import MADE_FROM
from sleuth.trace.labels import (
    ATTRIBUTE,
    Label,
    attribute,
    is_several,
    is_shown_by_attribute,
    label_for,
    values_at,
)
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Constant, Part, Ref, Shape, Value, escaped, shown
from sleuth.tree.names.code_names import named_code
from sleuth.tree.observe.behaviour import NEVER_STARTED, NOT_REQUESTED, RETURNED
from sleuth.tree.observe.in_progress import ENDINGS, NOT_STARTED, SO_FAR, Delivered, delivered
from sleuth.views.drawing.array_text import array_words
from sleuth.views.drawing.frame import Frame
from sleuth.views.drawing.identity import field_name, in_front, label, without
from sleuth.views.drawing.notation import names_of_items, well_known
from sleuth.views.drawing.styled import fitted
from sleuth.views.drawing.styled import width as columns
from sleuth.views.drawing.touched import Touched

SHORT = 1
FULL = 2
WHOLE = 4_000
"""Columns in which long values are compared."""
_BRACKETS = {"list": ("[", "]"), "tuple": ("(", ")"), "set": ("{", "}"), "dict": ("{", "}")}
"""Types whose contents alone say what they are."""
_ITEMS = ("sequence", "mapping", "set")
_DEEPEST = 8
MOST_SMALL = 10
"""Items of a small container."""
_MOST_SHAPES = 4_000
_MORE_WIDTH = 16
"""Columns that say how many more there are."""
_LONGEST_LABEL = 40
"""Columns of a label that the user asked for."""


def is_numbered(trace: Trace) -> bool:
    """Whether the trace tells objects apart by number; else by address only."""
    return trace.meta.get("identity") == "numbered"


def badge(ref: Ref) -> str:
    """Return the number by which an object is known."""
    return f"#{ref.id // 2}{'?' if ref.id & 1 else ''}"


class ValueText:
    """Writes values of a trace as they were at moments, each in a frame."""

    def __init__(self, trace: Trace, first: Touched | None = None) -> None:
        """Prepare to draw; first: what is shown of an object rather than its other parts."""
        self.trace = trace
        self.is_numbered = is_numbered(trace)
        self.first = first
        self._shapes: dict[tuple[int, int], Shape | None] = {}

    def _in_front(self, number: int, part: Part) -> list[int]:
        """Return the numbers of the items of an object that are shown rather than others."""
        return [] if self.first is None else self.first.places(number, part)

    def shape(self, ref: Ref, at: int) -> Shape | None:
        """Return the contents of an object at a moment; it is asked for them again and again."""
        key = ref.id, at
        if key not in self._shapes:
            if len(self._shapes) >= _MOST_SHAPES:
                self._shapes.clear()
            self._shapes[key] = self.trace.shape(ref, at)
        return self._shapes[key]

    def name(self, value: Value) -> str:
        """Return a value without looking into objects."""
        if isinstance(value, Ref) and self.is_numbered:
            name = self.code_name(value)
            last = escaped(value.type_name).rpartition(".")[2]
            return f"<{last} {name}>" if name else _named(value, "")
        return shown(value)

    def code_name(self, value: Value) -> str:
        """Return the name of a function or class that a recorded module defines; else nothing."""
        if not isinstance(value, Ref) or not self.is_numbered:
            return ""
        _, name = named_code(self.trace).get(value.id, (None, ""))
        return escaped(name)

    def text(self, value: Value, frame: Frame) -> str:
        """Return a value as it is drawn in a frame."""
        if not isinstance(value, Ref) or not self.is_numbered:
            written = shown(value, width=frame.width)
            if frame.plan is not None and columns(written) >= frame.width:
                frame.plan.is_cut |= written != shown(value, width=WHOLE)
            return written
        if self.code_name(value):
            return self.name(value)
        if (given := delivered(self.trace, value, frame.at)) is not None:
            return self._delivered(value, given, frame)
        if value.id in frame.around:
            return f"<... {badge(value)}>"
        is_deep = len(frame.around) >= _DEEPEST
        shape = None if is_deep else self.shape(value, frame.at)
        if shape is None:
            return _named(value, "")
        frame = self._opened(replace(frame, around=(*frame.around, value.id)), shape)
        specials = (self._promised, self._known, self._written, self._standing, self._meant)
        for special in specials:
            if (text := special(value, shape, frame)) is not None:
                return text
        plain = value.type_name.removeprefix("builtins.")
        if plain in _BRACKETS and len(shape.parts) == 1 and shape.parts[0].kind in _ITEMS:
            text = self._items(shape.parts[0], frame, _BRACKETS[plain])
            return "set()" if plain == "set" and text == "{}" else text
        return self._instance(value, shape, frame)

    def _opened(self, frame: Frame, shape: Shape) -> Frame:
        """Return the frame of an object that is to be opened; else the same."""
        width = frame.plan.opened.get(frame.around[-1]) if frame.plan is not None else None
        if width is None:
            return frame
        has_fields = shape.part("attributes") is not None
        return replace(frame, width=width, depth=FULL if has_fields else SHORT)

    def _delivered(self, ref: Ref, given: Delivered, frame: Frame) -> str:
        """Return a generator with the values that it gave: `<generator evens #4: 0, 2 so far>`."""
        start = f"<{escaped(ref.type_name)} {escaped(given.function.name)} {badge(ref)}: "
        ending = ENDINGS.get(given.state, "")
        inner = frame.narrower(levels=SHORT)
        if not given.gives and given.state in (NOT_STARTED, NEVER_STARTED):
            ending = "not awaited yet" if given.state == NOT_STARTED else "never awaited"
        elif not given.gives and given.state in (SO_FAR, NOT_REQUESTED):
            ending = "waiting"
        elif not given.gives and given.state == RETURNED:
            ending = f"returned {self.text(given.result, inner)}"
        part = Part("sequence", tuple(each.value for each in given.values), given.count)
        room = frame.width - columns(start) - columns(ending) - 3

        def item(number: int) -> str:
            return self.text(part.items[number], inner)

        told = frame.joined(item, part, room, ", ")
        if columns(told) > room:
            told = frame.joined(item, part, room - _MORE_WIDTH, ", ")
        comma = "" if not told or given.state == SO_FAR else ","
        return f"{start}{told}{comma}{' ' if told and ending else ''}{ending}>"

    def _promised(self, ref: Ref, shape: Shape, frame: Frame) -> str | None:
        """Return a future with its result; None: it is no future, or its state is not known."""
        fields = conventions.of(self.trace.meta.get("language")).promises.get(ref.type_name)
        held = _held(shape)
        if fields is None or not held:
            return None
        result, error = (held.get(name) for name in fields)
        if held.get("_state") in (Atom("PENDING"), Atom("RUNNING")):
            return _named(ref, "no result yet")
        if result is None or error is None:
            return None
        inner = frame.narrower(levels=SHORT)
        if isinstance(error, Ref):
            return _named(ref, f"raised {self.text(error, inner)}")
        return _named(ref, f"gave {self.text(result, inner)}")

    def _written(self, ref: Ref, shape: Shape, frame: Frame) -> str | None:
        """Return an object written like a call, `range(2, 9)`; None: its class is not known."""
        held = _held(shape)
        base = held.get(MADE_FROM)
        kind = base.content if isinstance(base, Atom) else ref.type_name
        notations = conventions.of(self.trace.meta.get("language")).notations
        names = notations.get(str(kind))
        if names is None or any(name[0] != "?" and name.lstrip("*") not in held for name in names):
            return None
        inner = frame.narrower(levels=SHORT)
        there = [name.lstrip("?") for name in names if name.strip("*?=") in held]
        words = [word for name in there for word in self._argument(name, held, inner)]
        return f"{ref.type_name.rpartition('.')[2]}({', '.join(words)})"

    def _argument(self, name: str, held: Mapping[str, Value], frame: Frame) -> Iterator[str]:
        value = held[name.strip("*=")]
        if name[-1] == "=":
            yield f"{name}{self.text(value, frame)}"
            return
        shape = self.shape(value, frame.at) if isinstance(value, Ref) else None
        kind = {1: "sequence", 2: "mapping"}.get(name.count("*"), "")
        part = shape.part(kind) if shape is not None else None
        if part is None or not part.is_complete:
            yield self.text(value, frame)
        elif part.keys:
            yield from (f"{field_name(key)}={self.text(item, frame)}" for key, item in part.pairs)
        else:
            yield from (self.text(item, frame) for item in part.items)

    def _known(self, ref: Ref, shape: Shape, frame: Frame) -> str | None:
        """Return an object of a well-known class, `Colour.RED`; None: its class is another."""
        names = names_of_items(self.trace, shape, frame.at)
        sequence = shape.part("sequence")
        if names is None or sequence is None or frame.depth < SHORT:
            return well_known(self.trace, ref, shape, frame.at)
        inner = frame.narrower(levels=SHORT)

        def item(number: int) -> str:
            return f"{escaped(names[number])}={self.text(sequence.items[number], inner)}"

        last = escaped(ref.type_name).rpartition(".")[2]
        return f"{last}({frame.joined(item, sequence, frame.width - len(last) - 2, ', ')})"

    def _standing(self, ref: Ref, shape: Shape, frame: Frame) -> str | None:
        """Return a view or an iterator, `<zip #3 over ([1], [2])>`; None: it is neither."""
        known = conventions.of(self.trace.meta.get("language"))
        held = _held(shape)
        field = next((name for name in held if name in known.standing), None)
        if field is None or "." in ref.type_name:
            return None
        return _named(ref, f"{field} {self.text(held[field], frame.narrower(levels=0))}")

    def _meant(self, ref: Ref, shape: Shape, frame: Frame) -> str | None:
        """Return an object of the standard library as what it means; None: it is no such object."""
        meaning = conventions.of(self.trace.meta.get("language")).library.get(ref.type_name)
        if meaning is None or label_for(self.trace.labels, ref.type_name) is not None:
            return None
        held = _held(shape)
        words = [meaning.words(self._state(meaning.state, held, frame.at))]
        container = held.get(meaning.items)
        inner = self.shape(container, frame.at) if isinstance(container, Ref) else None
        for part in inner.parts if inner is not None else ():
            if part.kind in _ITEMS:
                brackets = _BRACKETS["list" if part.kind == "sequence" else "dict"]
                words.append(self._items(part, frame, brackets))
        left_out = (meaning.items, meaning.state.partition(".")[0])
        for name, value in held.items():
            is_shown = name not in left_out and not meaning.folds(name)
            is_empty = name in meaning.fields and _is_nothing(value)
            if is_shown and not is_empty and frame.depth >= SHORT:
                words.append(f"{name}={self.text(value, frame.narrower(levels=FULL))}")
        return _named(ref, " ".join(filter(None, words)))

    def _state(self, names: str, held: Mapping[str, Value], at: int) -> str:
        """Return the state of an object as it is shown; empty: it is not known."""
        first, _, rest = names.partition(".")
        value = held.get(first)
        if rest and isinstance(value, Ref):
            shape = self.shape(value, at)
            return "" if shape is None else self._state(rest, _held(shape), at)
        return "" if value is None or isinstance(value, Ref) else shown(value)

    def _labelled(self, ref: Ref, known: Label | None, frame: Frame) -> str:
        """Return the parts of an object that the user's label names; empty: there is nothing."""
        inner = replace(frame, width=_LONGEST_LABEL, depth=0, plan=None)
        words = []
        for path in known.paths if known is not None else ():
            values = values_at(self.trace, ref, path, frame.at)
            texts = [str(value.content) for value in values if _is_text(value)]
            if is_several(path) and values and len(texts) == len(values):
                words.append(shown(Atom(" ".join(texts)), width=_LONGEST_LABEL))
                continue
            # A text says by itself what it is, a number does not.
            name = "" if texts or not attribute(path) else f"{attribute(path)}="
            words += [f"{name}{self.text(value, inner)}" for value in values]
        return fitted(" ".join(words), _LONGEST_LABEL)

    def _instance(self, ref: Ref, shape: Shape, frame: Frame) -> str:
        known = label_for(self.trace.labels, ref.type_name)
        paths = known.paths if known is not None else ()
        fields = [path.steps[0].text for path in paths if path.steps[0].kind == ATTRIBUTE]
        # Fields of the object itself are not told twice.
        is_told = frame.depth >= FULL and all(map(is_shown_by_attribute, paths))
        asked = "" if is_told else self._labelled(ref, known, frame)
        words = [asked]
        summary = shape.part("summary")
        if summary is not None:
            words.append(self._array(summary, shape.part("sequence"), frame))
        parts = [self._unfolded(ref, part) for part in shape.parts]
        for part in sorted(parts, key=lambda part: part.kind != "value"):
            if summary is not None and part.kind in ("summary", "sequence"):
                continue
            if part.kind in _ITEMS:
                brackets = _BRACKETS["list" if part.kind == "sequence" else "dict"]
                words.append(self._items(part, frame, brackets))
            elif (frame.depth >= FULL or part.kind == "value") and part.items:
                first = self._names_first(ref, part, fields) if frame.is_ranked else fields
                words.append(self._fields(in_front(part, first, is_label=bool(fields)), frame))
            elif part.kind == "attributes" and part.items:
                frame.close()
                words += [] if asked else [label(part)]
        return _named(ref, " ".join(filter(None, words)))

    def _names_first(self, ref: Ref, part: Part, fields: Sequence[str]) -> list[str]:
        """Return the attributes that stand before others: of a label, then those that matter."""
        wanted = self._in_front(ref.id, part)
        return [*fields, *(field_name(part.keys[at]) for at in wanted if part.keys)]

    def _unfolded(self, ref: Ref, part: Part) -> Part:
        """Return a part without the attributes that a class of the library keeps for itself."""
        if part.kind != "attributes":
            return part
        known = conventions.of(self.trace.meta.get("language"))
        names = [field_name(key) for key in part.keys]
        inside = conventions.folded(known, ref.type_name, {*names})
        return without(part, inside) if inside else part

    def _array(self, summary: Part, items: Part | None, frame: Frame) -> str:
        """Return type, shape, range and first items: `float64 (3,) from 0.0 to 2.0: 0.0, ...`."""
        text = array_words(summary, has_range=frame.depth >= FULL)
        if items is None or not items.items or frame.depth < SHORT:
            return text
        inner = frame.narrower(levels=FULL)
        sample = frame.joined(
            lambda number: self.text(items.items[number], inner),
            replace(items, is_complete=True),
            frame.width - len(text),
            ", ",
        )
        return f"{text}: {sample}"

    def _fields(self, part: Part, frame: Frame) -> str:
        inner = frame.narrower(levels=FULL)
        if part.kind in ("cell", "bytes", "value"):
            return self.text(part.items[0], inner)

        def field(number: int) -> str:
            return f"{field_name(part.keys[number])}={self.text(part.items[number], inner)}"

        return frame.joined(field, part, frame.width, " ")

    def _items(self, part: Part, frame: Frame, brackets: tuple[str, str]) -> str:
        opening, closing = brackets
        if part.full_length and frame.depth < SHORT:
            if text := self._small(part, frame, brackets):
                return text
            frame.close()
            noun = "item" if part.full_length == 1 else "items"
            return f"{opening}{part.full_length:,} {noun}{closing}"
        inner = frame.narrower(levels=1)

        def item(number: int) -> str:
            text = self.text(part.items[number], inner)
            if not part.keys:
                return text
            return f"{self.text(part.keys[number], replace(inner, depth=SHORT))}: {text}"

        first = self._in_front(frame.around[-1], part) if frame.is_ranked else ()
        inside = frame.joined(item, part, frame.width - 2, ", ", first)
        comma = "," if opening == "(" and part.full_length == 1 else ""
        return f"{opening}{inside}{comma}{closing}"

    def _small(self, part: Part, frame: Frame, brackets: tuple[str, str]) -> str:
        """Return a small container with its items; empty: it is not small, or not to be opened."""
        if frame.plan is None or not frame.plan.has_small or part.full_length > MOST_SMALL:
            return ""
        inner = frame.small()
        text = self._items(part, inner, brackets)
        return text if inner.is_small(text) else ""


def _held(shape: Shape) -> dict[str, Value]:
    """Return the attributes of an object by name."""
    part = shape.part("attributes")
    return {} if part is None else {field_name(key): item for key, item in part.pairs}


def _is_nothing(value: Value) -> bool:
    """Tell whether a value is zero, empty or the constant for nothing."""
    if isinstance(value, Constant):
        return value.name in ("None", "False")
    return isinstance(value, Atom) and not value.content


def _is_text(value: Value) -> TypeGuard[Atom]:
    return isinstance(value, Atom) and isinstance(value.content, str)


def _named(ref: Ref, inside: str) -> str:
    last = escaped(ref.type_name).rpartition(".")[2]
    return f"<{last} {badge(ref)}{' ' if inside else ''}{inside}>"
