"""Values as text that fits into a number of columns, in the notation of Python's literals.

    [1, 2, <Line #4 'tea'>]    {'a': 1}    <Cart #3 owner='eva' lines=[3 items]>    <... #3>

`#4` is an object's number; `#4?` says that it is only probably the same object each time.
Functions and classes that a recorded module defines or imports are named instead.  This is not the
walk of `trace/heap/reachable.py`: an object is drawn in each place that holds it, nested.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeGuard

from sleuth.trace import conventions
from sleuth.trace.heap.arrays import fact
from sleuth.trace.heap.recipe import MADE_FROM
from sleuth.trace.labels import Label, attribute, is_several, label_for, values_at
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Constant, Part, Ref, Shape, Value, escaped, shown
from sleuth.tree.names.code_names import named_code
from sleuth.tree.observe.behaviour import NEVER_STARTED, NOT_REQUESTED, RETURNED
from sleuth.tree.observe.in_progress import ENDINGS, NOT_STARTED, SO_FAR, Delivered, delivered
from sleuth.views.drawing.identity import field_name, in_front, label, without
from sleuth.views.drawing.notation import names_of_items, well_known
from sleuth.views.drawing.styled import fitted
from sleuth.views.drawing.styled import width as columns

SHORT = 1
FULL = 2
_DEPTHS = (6, 4, 3, FULL)
WHOLE = 4_000
"""Columns in which long values are compared."""
_BRACKETS = {"list": ("[", "]"), "tuple": ("(", ")"), "set": ("{", "}"), "dict": ("{", "}")}
"""Types whose contents alone say what they are."""
_ITEMS = ("sequence", "mapping", "set")
_DEEPEST = 8
_MOST_COLUMNS = 8
_DTYPE = "dtype of "
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


@dataclass(frozen=True, slots=True)
class _Frame:
    """The moment, room and depth with which a value is drawn."""

    at: int
    width: int
    depth: int
    """Levels left: containers take one, other objects two; with none an object is only named."""
    around: tuple[int, ...] = ()
    """The objects that contain the value."""

    def narrower(self, *, levels: int) -> "_Frame":
        return replace(self, width=max(self.width // 2, 12), depth=self.depth - levels)


class Pictures:
    """Draws values of a trace as they were at moments."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._is_numbered = is_numbered(trace)

    def of(self, value: Value, at: int, *, width: int = 60, depth: int = FULL) -> str:
        """Return a value on one line of about that width, for documents without columns."""
        return self._value(value, _Frame(at, width, depth))

    def short(self, value: Value, at: int, room: int) -> str:
        """Return a value that fits, without a look into the objects that it contains."""
        whole = self.of(value, at, width=room, depth=SHORT)
        if columns(whole) <= room or not isinstance(value, Ref):
            return fitted(whole, room)
        # With fewer items it may fit without being cut, and says how many there are.
        parts = range(7, 1, -1)
        fewer = (self.of(value, at, width=room * part // 8, depth=SHORT) for part in parts)
        return next((text for text in fewer if columns(text) <= room), fitted(whole, room))

    def deep(self, value: Value, at: int, room: int) -> str:
        """Return a value that fits, with as much of its contents as there is room for."""
        if isinstance(value, Ref):
            for depth in _DEPTHS:
                text = self.of(value, at, width=2 * room, depth=depth)
                if columns(text) <= room:
                    return text
        return fitted(self.of(value, at, width=room, depth=FULL), room)

    def whole(self, value: Value, at: int) -> str:
        """Return a value with all of its contents, to be compared with another one."""
        return self.deep(value, at, WHOLE)

    def name(self, value: Value) -> str:
        """Return a value without looking into objects."""
        if isinstance(value, Ref) and self._is_numbered:
            return _named(value, "")
        return shown(value)

    def _value(self, value: Value, frame: _Frame) -> str:
        if not isinstance(value, Ref) or not self._is_numbered:
            return shown(value, width=frame.width)
        _, name = named_code(self._trace).get(value.id, (None, ""))
        if name:
            return f"<{escaped(value.type_name).rpartition('.')[2]} {escaped(name)}>"
        if (given := delivered(self._trace, value, frame.at)) is not None:
            return self._delivered(value, given, frame)
        if value.id in frame.around:
            return f"<... {badge(value)}>"
        is_deep = len(frame.around) >= _DEEPEST
        shape = None if is_deep else self._trace.shape(value, frame.at)
        if shape is None:
            return _named(value, "")
        frame = replace(frame, around=(*frame.around, value.id))
        specials = (self._promised, self._known, self._written, self._standing, self._meant)
        for special in specials:
            if (text := special(value, shape, frame)) is not None:
                return text
        plain = value.type_name.removeprefix("builtins.")
        if plain in _BRACKETS and len(shape.parts) == 1 and shape.parts[0].kind in _ITEMS:
            text = self._items(shape.parts[0], frame, _BRACKETS[plain])
            return "set()" if plain == "set" and text == "{}" else text
        return self._instance(value, shape, frame)

    def _delivered(self, ref: Ref, given: Delivered, frame: _Frame) -> str:
        """Return a generator with the values that it gave: `<generator evens #4: 0, 2 so far>`."""
        start = f"<{escaped(ref.type_name)} {escaped(given.function.name)} {badge(ref)}: "
        ending = ENDINGS.get(given.state, "")
        inner = frame.narrower(levels=SHORT)
        if not given.gives and given.state in (NOT_STARTED, NEVER_STARTED):
            ending = "not awaited yet" if given.state == NOT_STARTED else "never awaited"
        elif not given.gives and given.state in (SO_FAR, NOT_REQUESTED):
            ending = "waiting"
        elif not given.gives and given.state == RETURNED:
            ending = f"returned {self._value(given.result, inner)}"
        part = Part("sequence", tuple(each.value for each in given.values), given.count)
        room = frame.width - columns(start) - columns(ending) - 3

        def item(number: int) -> str:
            return self._value(part.items[number], inner)

        told = _joined(item, part, room, ", ")
        if columns(told) > room:
            told = _joined(item, part, room - _MORE_WIDTH, ", ")
        comma = "" if not told or given.state == SO_FAR else ","
        return f"{start}{told}{comma}{' ' if told and ending else ''}{ending}>"

    def _promised(self, ref: Ref, shape: Shape, frame: _Frame) -> str | None:
        """Return a future with its result; None: it is no future, or its state is not known."""
        fields = conventions.of(self._trace.meta.get("language")).promises.get(ref.type_name)
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
            return _named(ref, f"raised {self._value(error, inner)}")
        return _named(ref, f"gave {self._value(result, inner)}")

    def _written(self, ref: Ref, shape: Shape, frame: _Frame) -> str | None:
        """Return an object written like a call, `range(2, 9)`; None: its class is not known."""
        held = _held(shape)
        base = held.get(MADE_FROM)
        kind = base.content if isinstance(base, Atom) else ref.type_name
        notations = conventions.of(self._trace.meta.get("language")).notations
        names = notations.get(str(kind))
        if names is None or any(name[0] != "?" and name.lstrip("*") not in held for name in names):
            return None
        inner = frame.narrower(levels=SHORT)
        there = [name.lstrip("?") for name in names if name.strip("*?=") in held]
        words = [word for name in there for word in self._argument(name, held, inner)]
        return f"{ref.type_name.rpartition('.')[2]}({', '.join(words)})"

    def _argument(self, name: str, held: Mapping[str, Value], frame: _Frame) -> Iterator[str]:
        value = held[name.strip("*=")]
        if name[-1] == "=":
            yield f"{name}{self._value(value, frame)}"
            return
        shape = self._trace.shape(value, frame.at) if isinstance(value, Ref) else None
        kind = {1: "sequence", 2: "mapping"}.get(name.count("*"), "")
        part = shape.part(kind) if shape is not None else None
        if part is None or not part.is_complete:
            yield self._value(value, frame)
        elif part.keys:
            yield from (f"{field_name(key)}={self._value(item, frame)}" for key, item in part.pairs)
        else:
            yield from (self._value(item, frame) for item in part.items)

    def _known(self, ref: Ref, shape: Shape, frame: _Frame) -> str | None:
        """Return an object of a well-known class, `<Colour.RED: 1>`; None: its class is another."""
        names = names_of_items(self._trace, shape, frame.at)
        sequence = shape.part("sequence")
        if names is None or sequence is None or frame.depth < SHORT:
            return well_known(self._trace, ref, shape, frame.at)
        inner = frame.narrower(levels=SHORT)

        def item(number: int) -> str:
            return f"{escaped(names[number])}={self._value(sequence.items[number], inner)}"

        last = escaped(ref.type_name).rpartition(".")[2]
        return f"{last}({_joined(item, sequence, frame.width - len(last) - 2, ', ')})"

    def _standing(self, ref: Ref, shape: Shape, frame: _Frame) -> str | None:
        """Return a view or an iterator, `<zip #3 over ([1], [2])>`; None: it is neither."""
        known = conventions.of(self._trace.meta.get("language"))
        held = _held(shape)
        field = next((name for name in held if name in known.standing), None)
        if field is None or "." in ref.type_name:
            return None
        return _named(ref, f"{field} {self._value(held[field], frame.narrower(levels=0))}")

    def _meant(self, ref: Ref, shape: Shape, frame: _Frame) -> str | None:
        """Return an object of the standard library as what it means; None: it is no such object."""
        meaning = conventions.of(self._trace.meta.get("language")).library.get(ref.type_name)
        if meaning is None or label_for(self._trace.labels, ref.type_name) is not None:
            return None
        held = _held(shape)
        words = [meaning.words(self._state(meaning.state, held, frame.at))]
        container = held.get(meaning.items)
        inner = self._trace.shape(container, frame.at) if isinstance(container, Ref) else None
        for part in inner.parts if inner is not None else ():
            if part.kind in _ITEMS:
                brackets = _BRACKETS["list" if part.kind == "sequence" else "dict"]
                words.append(self._items(part, frame, brackets))
        left_out = (meaning.items, meaning.state.partition(".")[0])
        for name, value in held.items():
            is_shown = name not in left_out and not meaning.folds(name)
            is_empty = name in meaning.fields and _is_nothing(value)
            if is_shown and not is_empty and frame.depth >= SHORT:
                words.append(f"{name}={self._value(value, frame.narrower(levels=FULL))}")
        return _named(ref, " ".join(filter(None, words)))

    def _state(self, names: str, held: Mapping[str, Value], at: int) -> str:
        """Return the state of an object as it is shown; empty: it is not known."""
        first, _, rest = names.partition(".")
        value = held.get(first)
        if rest and isinstance(value, Ref):
            shape = self._trace.shape(value, at)
            return "" if shape is None else self._state(rest, _held(shape), at)
        return "" if value is None or isinstance(value, Ref) else shown(value)

    def _labelled(self, ref: Ref, known: Label | None, frame: _Frame) -> str:
        """Return the parts of an object that the user's label names; empty: there is nothing."""
        inner = replace(frame, width=_LONGEST_LABEL, depth=0)
        words = []
        for path in known.paths if known is not None else ():
            values = values_at(self._trace, ref, path, frame.at)
            texts = [str(value.content) for value in values if _is_text(value)]
            if is_several(path) and values and len(texts) == len(values):
                words.append(shown(Atom(" ".join(texts)), width=_LONGEST_LABEL))
                continue
            # A text says by itself what it is, a number does not.
            name = "" if texts or not attribute(path) else f"{attribute(path)}="
            words += [f"{name}{self._value(value, inner)}" for value in values]
        return fitted(" ".join(words), _LONGEST_LABEL)

    def _instance(self, ref: Ref, shape: Shape, frame: _Frame) -> str:
        known = label_for(self._trace.labels, ref.type_name)
        fields = [attribute(path) for path in known.paths] if known is not None else []
        # Fields of the object itself are not told twice.
        is_told = frame.depth >= FULL and all(fields)
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
                words.append(self._fields(in_front(part, fields), frame))
            elif part.kind == "attributes" and not asked:
                words.append(label(part))
        return _named(ref, " ".join(filter(None, words)))

    def _unfolded(self, ref: Ref, part: Part) -> Part:
        """Return a part without the attributes that a class of the library keeps for itself."""
        if part.kind != "attributes":
            return part
        known = conventions.of(self._trace.meta.get("language"))
        names = [field_name(key) for key in part.keys]
        inside = conventions.folded(known, ref.type_name, {*names})
        return without(part, inside) if inside else part

    def _array(self, summary: Part, items: Part | None, frame: _Frame) -> str:
        """Return type, shape, range and first items: `float64 (3,) from 0.0 to 2.0: 0.0, ...`."""
        words = [_text_fact(summary, "dtype"), _text_fact(summary, "shape"), *_columns(summary)]
        if frame.depth >= FULL:
            words += _range(summary)
        text = " ".join(filter(None, words))
        if items is None or not items.items or frame.depth < SHORT:
            return text
        inner = frame.narrower(levels=FULL)
        sample = _joined(
            lambda number: self._value(items.items[number], inner),
            replace(items, is_complete=True),
            frame.width - len(text),
            ", ",
        )
        return f"{text}: {sample}"

    def _fields(self, part: Part, frame: _Frame) -> str:
        inner = frame.narrower(levels=FULL)
        if part.kind in ("cell", "bytes", "value"):
            return self._value(part.items[0], inner)

        def field(number: int) -> str:
            return f"{field_name(part.keys[number])}={self._value(part.items[number], inner)}"

        return _joined(field, part, frame.width, " ")

    def _items(self, part: Part, frame: _Frame, brackets: tuple[str, str]) -> str:
        opening, closing = brackets
        if part.full_length and frame.depth < SHORT:
            noun = "item" if part.full_length == 1 else "items"
            return f"{opening}{part.full_length:,} {noun}{closing}"
        inner = frame.narrower(levels=1)

        def item(number: int) -> str:
            text = self._value(part.items[number], inner)
            if not part.keys:
                return text
            return f"{self._value(part.keys[number], replace(inner, depth=SHORT))}: {text}"

        inside = _joined(item, part, frame.width - 2, ", ")
        comma = "," if opening == "(" and part.full_length == 1 else ""
        return f"{opening}{inside}{comma}{closing}"


def _joined(text_of: Callable[[int], str], part: Part, room: int, separator: str) -> str:
    """Return as many items as there is room for, and the number of the others."""
    words: list[str] = []
    used = 0
    for number in range(len(part.items)):
        word = text_of(number)
        if words and used + columns(word) > room:
            break
        words.append(word)
        used += columns(word) + len(separator)
    more = part.full_length - len(words)
    if more > 0:
        lost = part.full_length - len(part.items)
        kept = "" if part.is_complete else f", {f'{lost:,} ' if lost < more else ''}not kept"
        words.append(f"... {more:,} more{kept}")
    elif not part.is_complete:
        words.append("... perhaps more")
    return separator.join(words)


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


def _text_fact(summary: Part, name: str) -> str:
    value = fact(summary, name)
    content = value.content if isinstance(value, Atom) else None
    return escaped(content) if isinstance(content, str) else ""


def _range(summary: Part) -> list[str]:
    least, greatest, nan = (fact(summary, name) for name in ("least", "greatest", "nan"))
    words = []
    if least is not None and greatest is not None:
        words.append(f"from {shown(least)} to {shown(greatest)}")
    if nan is not None:
        words.append(f"({shown(nan)} nan)")
    why = fact(summary, "items")
    return words if why is None else [*words, shown(why)]


def _columns(summary: Part) -> list[str]:
    """Return the columns of a table with their types."""
    names = [
        (key.content.removeprefix(_DTYPE), shown(value).strip("'"))
        for key, value in summary.pairs
        if isinstance(key, Atom) and isinstance(key.content, str) and key.content.startswith(_DTYPE)
    ]
    more = [f"... {len(names) - _MOST_COLUMNS} more"] if len(names) > _MOST_COLUMNS else []
    words = [f"{escaped(name)}: {kind}" for name, kind in names[:_MOST_COLUMNS]]
    return [", ".join([*words, *more])] if words else []


def _named(ref: Ref, inside: str) -> str:
    last = escaped(ref.type_name).rpartition(".")[2]
    return f"<{last} {badge(ref)}{' ' if inside else ''}{inside}>"
