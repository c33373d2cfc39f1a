"""The conversation of the stepper: reads a line, moves the selection or shows something."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from sleuth.errors import UsageError
from sleuth.trace.history.cursor import Cursor
from sleuth.trace.history.strands import strand_of
from sleuth.trace.values import escaped, escaped_lines
from sleuth.tree.travel.entries import Page, Scope, opened, page_of, scope_of
from sleuth.views.drawing.screen import Screen
from sleuth.views.drawing.sections import table
from sleuth.views.drawing.styled import Line
from sleuth.views.prompt.typed_lines import Lines
from sleuth.views.travel import lists, position
from sleuth.views.travel.table import ROWS, number_of, understood
from sleuth.views.words.writes import write_line

PROMPT = "travel> "
_PAGE = 18
_Shown = Iterable[str | Line]


@dataclass(slots=True)
class Travel:
    """Steps over the events of a run."""

    here: Cursor
    lines: Lines
    screen: Screen
    page: Page | None = field(default=None)
    """The page of events that was shown last."""

    def run(self) -> Cursor:
        """Read and carry out lines until the user leaves; return the last selection."""
        self.screen.write(position.position(self.here, self.screen.width))
        while (typed := self.lines.read(self.screen.prompt(PROMPT))) is not None:
            if not typed.strip():
                continue
            try:
                if not self._do(typed):
                    break
            except UsageError as problem:
                self.screen.write([escaped_lines(str(problem))])
            except KeyboardInterrupt:
                self.screen.write(["Stopped."])
        return self.here

    def _do(self, typed: str) -> bool:
        row, text = understood(typed)
        if row.key == "q":
            return False
        if row.move is not None:
            self._go(row.move(self.here))
        else:
            _ACTS[row.key](self, text)
        return True

    def _go(self, there: Cursor, words: _Shown = (), after: _Shown = ()) -> None:
        self.here = there
        self.screen.write([*words, *position.position(there, self.screen.width), *after])

    # --- Moves -----------------------------------------------------------------------------------

    def to_moment(self, text: str) -> None:
        """Go to a moment."""
        self._go(self.here.at(number_of(text, "a moment", "at 120")))

    def to_line(self, text: str, *, back: bool) -> None:
        """Go to the next time that a line runs, or the time before."""
        file, _, number = text.rpartition(":")
        line = number_of(number, "a line", "line 12, or line shop.py:12")
        there = self.here.line(line, file, back=back)
        self._go(there, after=[position.line_note(there, line)])

    def to_write(self, path: str, *, back: bool) -> None:
        """Go to the next write to a path, or to the one before."""
        there, write = self.here.written(path, back=back)
        self._go(there, [write_line(self.here.trace, write, self.screen.width)])

    def to_thread(self, text: str) -> None:
        """Go to a thread or task."""
        number = number_of(text, "the number of a thread", "thread 2")
        found = strand_of(self.here.trace, number, self.here.to)
        if found is None:
            raise UsageError(f"There is no thread {number}; threads lists them.")
        self._go(self.here.strand(found))

    # --- Events ----------------------------------------------------------------------------------

    def events(self, text: str) -> None:
        """List the events of the call."""
        scope = scope_of(self.here.trace, self.here.trace.call(self.here.call))
        first = number_of(text, "a moment", "ev 120") if text else scope.first
        if not scope.first <= first <= scope.last:
            raise UsageError(
                f"The call has no moment {first:,}: it ran from {scope.first:,} to {scope.last:,}."
            )
        self._list(scope, first)

    def more(self, _: str) -> None:
        """List the next page."""
        if self.page is None or not self.page.entries:
            raise UsageError("No events are listed; ev lists them.")
        if self.page.is_last:
            raise UsageError("These were all.")
        self._list(self.page.scope, self.page.after)

    def opened(self, text: str) -> None:
        """Open an entry of the list."""
        page, number = self._chosen(text)
        scope = opened(self.here.trace, page.scope, page.entries[number - 1])
        if scope is None:
            raise UsageError(f"There is nothing below entry {number}; go {number} goes there.")
        if scope.call != page.scope.call:
            self.here = self.here.choose_call(scope.call)
        self._list(scope, scope.first)

    def chosen(self, text: str) -> None:
        """Go to an entry of the list."""
        page, number = self._chosen(text)
        entry = page.entries[number - 1]
        self._go(self.here.choose_event(entry.last))

    def _chosen(self, text: str) -> tuple[Page, int]:
        if self.page is None:
            raise UsageError("No events are listed; ev lists them.")
        number = number_of(text, "the number of an entry", "open 3")
        if not 1 <= number <= len(self.page.entries):
            raise UsageError(f"There is no entry {number}; there is 1 to {len(self.page.entries)}.")
        return self.page, number

    def _list(self, scope: Scope, first: int) -> None:
        path = self.here.path.location if self.here.path else None
        self.page = page_of(self.here.trace, scope, first, _PAGE, path)
        self.screen.write(lists.event_list(self.here, self.page, self.screen.width))

    # --- Values ----------------------------------------------------------------------------------

    def compared_from(self, text: str) -> None:
        """Set the moment that the state is compared with."""
        moment = number_of(text, "a moment", "from 120") if text else None
        self.here = self.here.choose_from(moment)
        self.screen.write(lists.state(self.here, "", self.screen.width))

    def mark(self, text: str) -> None:
        """Select a path, whose writes are marked."""
        self.here = self.here.choose_path(text or None)
        if self.page is None and self.here.path is not None:
            self.show([f"ev marks what writes to {escaped(self.here.path.path)}."])
        if self.page is not None:
            first = self.page.entries[0].first if self.page.entries else self.page.scope.first
            self._list(self.page.scope, first)

    def history(self, text: str, *, is_in_call: bool) -> None:
        """List the writes to a path, of the run or of the call."""
        self._select(text, "chist" if is_in_call else "hist")
        shown = position.history(self.here, self.screen.width, is_in_call=is_in_call)
        self.screen.write(shown)

    def why(self, text: str) -> None:
        """Show the operation that made a value."""
        if not text:
            self._select(text, "why")
        path = text or (self.here.path.path if self.here.path else "")
        self.screen.write(position.why(self.here, path, self.screen.width))

    def _select(self, text: str, key: str) -> None:
        if text:
            self.here = self.here.choose_path(text)
        elif self.here.path is None:
            raise UsageError(f"No path is selected; type one: {key} total")

    def show(self, words: _Shown) -> None:
        """Write something."""
        self.screen.write(words)

    def help(self, _: str) -> None:
        """List the commands."""
        pairs = [(row.typed, row.help) for row in ROWS]
        self.screen.write(table(pairs, self.screen.width, gap=2))


_ACTS: dict[str, Callable[[Travel, str], None]] = {
    "at": Travel.to_moment,
    "line": lambda talk, text: talk.to_line(text, back=False),
    "bline": lambda talk, text: talk.to_line(text, back=True),
    "prev": lambda talk, text: talk.to_write(text, back=True),
    "next": lambda talk, text: talk.to_write(text, back=False),
    "thread": Travel.to_thread,
    "threads": lambda talk, _: talk.show(position.threads(talk.here, talk.screen.width)),
    "w": lambda talk, _: talk.show(position.stack(talk.here, talk.screen.width)),
    "ev": Travel.events,
    "more": Travel.more,
    "open": Travel.opened,
    "go": Travel.chosen,
    "st": lambda talk, text: talk.show(lists.state(talk.here, text, talk.screen.width)),
    "from": Travel.compared_from,
    "mark": Travel.mark,
    "hist": lambda talk, text: talk.history(text, is_in_call=False),
    "chist": lambda talk, text: talk.history(text, is_in_call=True),
    "why": Travel.why,
    "p": lambda talk, text: talk.show(position.value(talk.here, text, talk.screen.width)),
    "out": lambda talk, _: talk.show(position.printed(talk.here)),
    "l": lambda talk, _: talk.show(position.source(talk.here)),
    "?": Travel.help,
}
