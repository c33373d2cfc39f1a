"""The first line of a question: what ran, with what, and where it stands."""

from collections.abc import Sequence

from sleuth.trace.values import Ref
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Seen
from sleuth.views.drawing.picture import FULL
from sleuth.views.drawing.rows import Drawing
from sleuth.views.drawing.styled import MORE, Line, Piece, Role, cut, fitted, line, width_of
from sleuth.views.drawing.styled import width as columns
from sleuth.views.drawing.text import place_of, program
from sleuth.views.words.loop import group_title, part_title

_WIDTHS = (60, 40, 24, 16)
"""An argument's value is drawn as wide as there is room for all of them."""
_VALUES, _ATOMS, _NAMES = range(3)
"""How much of the arguments is shown: all, objects by name only, names only."""


class Title:
    """Draws the first line, or two if one does not do."""

    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing
        self._behaviour = drawing.behaviour
        self.short: set[str] = set()
        """Arguments that it does not show whole."""

    def lines(self) -> list[Line]:
        """Return what ran, and where that stands in the source."""
        width = self._drawing.width
        is_run = self._behaviour.kind == words.RUN
        part = self._behaviour.part
        head = part.site.span.line if part else None
        place = "" if is_run else place_of(self._drawing.trace, self._behaviour.call, head)
        place = shortened(place, width // 2)
        left = width - columns(place) - 2
        for how in (_VALUES, _ATOMS, _NAMES):
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
        return [title, line(" " * (width - columns(place)), behind)]

    def _title(self, space: int, how: int) -> Line:
        behaviour = self._behaviour
        if behaviour.part is not None:
            return part_title(self._drawing, behaviour.part, space)
        if behaviour.group is not None:
            return group_title(self._drawing, behaviour.group, space)
        known = behaviour.known
        name = Piece(fitted(known.name if known else behaviour.name, space - 4), Role.STRONG)
        match behaviour.kind:
            case words.RUN:
                command = fitted(program(self._drawing.trace.meta), space - 15)
                return line("the whole run: ", Piece(command, Role.STRONG))
            case words.MODULE_BODY:
                module = behaviour.function.module.name if behaviour.function else ""
                return line("module ", Piece(fitted(module, space - 7), Role.STRONG))
            case words.CODE_BODY | words.EXPRESSION:
                return line(name)
            case words.CLASS_BODY:
                return line("class ", Piece(fitted(behaviour.name, space - 6), Role.STRONG))
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
        built = fitted("".join(made), space // 2)
        owner = behaviour.name.rpartition(".")[0] or behaviour.name
        name = Piece(fitted(owner, space // 3), Role.STRONG)
        room = space - columns(name.text) - columns(built) - 2
        return line(name, "(", *self._arguments(behaviour.given[1:], room, how), ")", built)

    def _arguments(self, given: Sequence[Seen], room: int, how: int) -> list[Piece]:
        """Return `x=1, y=[...]`; it can be wider than the room."""
        texts = self._texts(given, room, how)
        self.short = set()
        pieces = []
        for number, (seen, text) in enumerate(zip(given, texts, strict=True)):
            pieces += [Piece(", " if number else ""), Piece(seen.path, Role.PATH)]
            pieces.append(Piece(text[len(seen.path) :]))
            if text != f"{seen.path}={self._whole(seen)}":
                self.short.add(seen.path)
        return pieces

    def _texts(self, given: Sequence[Seen], room: int, how: int) -> list[str]:
        if how == _NAMES:
            return [seen.path for seen in given]
        texts: list[str] = []
        for width in _WIDTHS:
            texts = [
                seen.path
                if how == _ATOMS and isinstance(seen.value, Ref)
                else self._argument(seen, width)
                for seen in given
            ]
            if columns(", ".join(texts)) <= room:
                break
        return texts

    def _argument(self, seen: Seen, width: int) -> str:
        text = self._drawing.short(seen.value, seen.at, width)
        if text.startswith("<") and not text.endswith(">"):
            # Which object it is says more than how its contents begin.
            text = fitted(self._drawing.name(seen.value), width)
        return f"{seen.path}={text}"

    def _whole(self, seen: Seen) -> str:
        return self._drawing.pictures.of(seen.value, seen.at, width=200, depth=FULL)


def shortened(place: str, room: int) -> str:
    """Return where something stands; of a long path the end, which has the file and the line."""
    while columns(place) > room and "/" in place.removeprefix(f"{MORE}/"):
        place = f"{MORE}/{place.removeprefix(f'{MORE}/').partition('/')[2]}"
    return fitted(place, room)
