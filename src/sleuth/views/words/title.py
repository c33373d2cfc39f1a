"""The first line of a question: what ran, with what, and where it stands."""

from collections.abc import Sequence

from sleuth.tree import behaviour as words
from sleuth.tree.behaviour import Seen
from sleuth.views.picture import FULL
from sleuth.views.text import program, where
from sleuth.views.words.drawing import Drawing
from sleuth.views.words.styled import MORE, Line, Piece, Role, cut, fitted, line, width_of
from sleuth.views.words.styled import width as columns

_WIDTHS = (60, 40, 24, 16, 10)
"""An argument is drawn as wide as there is room for all of them."""
_LEAST = 20


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
        place = "" if is_run else where(self._drawing.trace, self._behaviour.function)
        place = fitted(place, width // 2)
        left = width - columns(place) - 2
        title = self._title(left)
        if _is_cut_inside(title) and not _is_cut_inside(longer := self._title(width)):
            # The place then stands on a line of its own.
            title = longer
        elif self.short:
            title = self._title(left)
        if width_of(title) <= left:
            gap = " " * (width - width_of(title) - columns(place))
            return [(*title, Piece(gap), Piece(place, Role.DIM))]
        behind = line(" " * (width - columns(place)), Piece(place, Role.DIM))
        return [cut(title, width), behind]

    def _title(self, left: int) -> Line:
        behaviour = self._behaviour
        name = Piece(fitted(behaviour.name, self._drawing.width - _LEAST - 4), Role.STRONG)
        match behaviour.kind:
            case words.RUN:
                command = fitted(program(self._drawing.trace.meta), left - 15)
                return line("the whole run: ", Piece(command, Role.STRONG))
            case words.MODULE_BODY:
                module = behaviour.function.module.name if behaviour.function else ""
                return line("module ", Piece(fitted(module, left - 7), Role.STRONG))
            case words.CLASS_BODY:
                return line("class ", name)
            case words.CONSTRUCTOR:
                return self._constructor(left)
            case words.PROPERTY:
                given = self._arguments(behaviour.given, left - columns(name.text) - 4)
                return line(name, " of ", *given)
        given = self._arguments(behaviour.given, left - columns(name.text) - 2)
        return line(name, "(", *given, ")")

    def _constructor(self, left: int) -> Line:
        behaviour = self._behaviour
        made = [f" built {self._drawing.name(seen.value)}" for seen in behaviour.given[:1]]
        built = fitted("".join(made), left // 2)
        owner = behaviour.name.rpartition(".")[0] or behaviour.name
        name = Piece(fitted(owner, left // 3), Role.STRONG)
        used = columns(name.text) + columns(built) + 2
        return line(name, "(", *self._arguments(behaviour.given[1:], left - used), ")", built)

    def _arguments(self, given: Sequence[Seen], left: int) -> list[Piece]:
        """Return `x=1, y=[...]`, each as long as there is room for all."""
        texts: list[str] = []
        for width in _WIDTHS:
            texts = [self._argument(seen, width) for seen in given]
            if columns(", ".join(texts)) <= left:
                break
        left = max(left, _LEAST)
        if columns(", ".join(texts)) > left:
            self.short = {seen.path for seen in given}
            return [Piece(fitted(", ".join(texts), left))]
        pieces = []
        for number, (seen, text) in enumerate(zip(given, texts, strict=True)):
            pieces += [Piece(", " if number else ""), Piece(seen.path, Role.PATH)]
            pieces.append(Piece(text[len(seen.path) :]))
            if text != f"{seen.path}={self._whole(seen)}":
                self.short.add(seen.path)
        return pieces

    def _argument(self, seen: Seen, width: int) -> str:
        text = self._drawing.short(seen.value, seen.at, width)
        if text.startswith("<") and not text.endswith(">"):
            # Which object it is says more than how its contents begin.
            text = fitted(self._drawing.name(seen.value), width)
        return f"{seen.path}={text}"

    def _whole(self, seen: Seen) -> str:
        return self._drawing.pictures.of(seen.value, seen.at, width=200, depth=FULL)


def _is_cut_inside(title: Line) -> bool:
    """Whether an object is not even named: `<Posit...`."""
    text = "".join(piece.text for piece in title)
    return any("<" in part and ">" not in part for part in text.split(MORE)[:-1])
