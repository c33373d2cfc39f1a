"""The first line of a question: the call, its arguments, its place in the source."""

from collections.abc import Sequence

from sleuth.trace.values import Ref
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Seen
from sleuth.views.drawing.calls import argument_text
from sleuth.views.drawing.places import files, place_of, shortened
from sleuth.views.drawing.rows import Drawing
from sleuth.views.drawing.styled import (
    MORE,
    Line,
    Piece,
    Role,
    cut,
    fitted,
    line,
    width_of,
    wrapped,
)
from sleuth.views.drawing.styled import width as columns
from sleuth.views.drawing.value_text import FULL
from sleuth.views.words.loop import group_title, part_title
from sleuth.views.words.recording import program

_WIDTHS = (60, 40, 24, 16)
"""Columns of each argument's value; the first number with which all of them fit is taken."""
_VALUES, _ATOMS, _TELLING, _TELLING_ALONE, _NAMES = range(5)
"""Forms of the arguments, from much to little.

All values; objects without a value; only values that matter; only arguments that matter; names.
"""


class Title:
    """Draws the first line; the place stands on a second one if there is no room for both."""

    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing
        self._behaviour = drawing.behaviour
        self.short: set[str] = set()
        """Arguments that are not shown whole."""

    def lines(self) -> list[Line]:
        """Return the call with its place in the source."""
        width = self._drawing.width
        is_run = self._behaviour.kind == words.RUN
        part = self._behaviour.part
        head = part.site.span.line if part else None
        place = "" if is_run else place_of(self._drawing.trace, self._behaviour.call, head)
        if columns(place) > width // 2:
            place = shortened(place, width // 2, files(self._drawing.trace))
        left = width - columns(place) - 2
        for how in (_VALUES, _ATOMS, _TELLING, _TELLING_ALONE, _NAMES):
            # With more room the place stands on a line of its own.
            for space in (left, width):
                title = self._title(space, how)
                if width_of(title) <= space:
                    return self._placed(title, place, left)
        return self._placed(cut(title, width), place, left)

    def _placed(self, title: Line, place: str, left: int) -> list[Line]:
        width, behind = self._drawing.width, Piece(place, Role.DIM)
        if width_of(title) <= left:
            gap = " " * (width - width_of(title) - columns(place))
            return [(*title, Piece(gap), behind)]
        rows = wrapped(place, width)  # a place is never cut
        return [title, *(line(" " * (width - columns(e)), Piece(e, Role.DIM)) for e in rows)]

    def _title(self, space: int, how: int) -> Line:
        """Return the line; arguments get shorter to fit the space, names only to fit a line."""
        behaviour, width = self._behaviour, self._drawing.width
        if behaviour.part is not None:
            return part_title(self._drawing, behaviour.part, width)
        if behaviour.group is not None:
            return group_title(self._drawing, behaviour.group, width)
        known = behaviour.known
        name = Piece(fitted(known.name if known else behaviour.name, width - 4), Role.STRONG)
        match behaviour.kind:
            case words.RUN:
                command = fitted(program(self._drawing.trace.meta), width - 15)
                return line("the whole run: ", Piece(command, Role.STRONG))
            case words.MODULE_BODY:
                module = behaviour.function.module.name if behaviour.function else ""
                return line("module ", Piece(fitted(module, width - 7), Role.STRONG))
            case words.CODE_BODY | words.EXPRESSION:
                return line(name)
            case words.CLASS_BODY:
                return line("class ", Piece(fitted(behaviour.name, width - 6), Role.STRONG))
            case words.CONSTRUCTOR:
                return self._constructor(space, how)
            case words.PROPERTY:
                room = space - columns(name.text) - 8
                of = " set of " if behaviour.is_set else " of "
                return line(name, of, *self._arguments(behaviour.given, room, how))
        behind = known.behind if known else ""
        room = space - columns(name.text) - columns(behind) - 2
        return line(name, "(", *self._arguments(behaviour.given, room, how), f"){behind}")

    def _constructor(self, space: int, how: int) -> Line:
        behaviour = self._behaviour
        made = [f" built {self._drawing.name(seen.value)}" for seen in behaviour.given[:1]]
        built = fitted("".join(made), self._drawing.width // 2)
        owner = behaviour.name.rpartition(".")[0] or behaviour.name
        name = Piece(fitted(owner, self._drawing.width // 3), Role.STRONG)
        room = space - columns(name.text) - columns(built) - 2
        return line(name, "(", *self._arguments(behaviour.given[1:], room, how), ")", built)

    def _arguments(self, given: Sequence[Seen], room: int, how: int) -> list[Piece]:
        """Return `x=1, y=[...]`; it can be wider than the room."""
        texts = self._texts(given, room, how)
        whole = {f"{seen.path}={self._whole(seen)}": seen.path for seen in given}
        self.short = {seen.path for seen in given} - {whole.get(text, "") for text in texts}
        pieces: list[Piece] = []
        for text in texts:
            name, sign, value = text.partition("=")
            pieces += [Piece(", " if pieces else ""), Piece(name, Role.PATH), Piece(sign + value)]
        return pieces

    def _texts(self, given: Sequence[Seen], room: int, how: int) -> list[str]:
        if how == _NAMES:
            return [seen.path for seen in given]
        telling = self._telling(given) if how in (_TELLING, _TELLING_ALONE) else set()
        texts: list[str] = []
        for width in _WIDTHS:
            texts = []
            for seen in given:
                is_short = how == _ATOMS and isinstance(seen.value, Ref)
                if is_short or (how == _TELLING and seen.path not in telling):
                    texts.append(seen.path)
                elif how == _TELLING_ALONE and seen.path not in telling:
                    texts += [MORE] if texts[-1:] != [MORE] else []
                else:
                    texts.append(self._argument(seen, width))
            if columns(", ".join(texts)) <= room:
                break
        return texts

    def _telling(self, given: Sequence[Seen]) -> set[str]:
        """Return the arguments that matter: those that changed, else all plain values."""
        paths = [each.path for each in self._behaviour.changes]
        names = {seen.path for seen in given}
        changed = {
            name
            for name in names
            if any(path == name or path.startswith((f"{name}.", f"{name}[")) for path in paths)
        }
        receivers = self._drawing.conventions.receivers
        plain = {seen.path for seen in given if not isinstance(seen.value, Ref)}
        return (changed - receivers) | plain or changed or names - receivers or names

    def _argument(self, seen: Seen, width: int) -> str:
        return f"{seen.path}={argument_text(self._drawing.pictures, seen.value, seen.at, width)}"

    def _whole(self, seen: Seen) -> str:
        return self._drawing.pictures.of(seen.value, seen.at, width=200, depth=FULL)
