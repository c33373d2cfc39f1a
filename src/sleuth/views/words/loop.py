"""Loops and turns in words."""

from collections.abc import Iterator

from sleuth.tree.behaviour import Behaviour, LoopPart
from sleuth.views.text import counted
from sleuth.views.words.drawing import Drawing
from sleuth.views.words.sections import Section
from sleuth.views.words.styled import Line, Piece, Role, fitted, line


def part_name(part: LoopPart) -> str:
    """Return which turns are meant."""
    if part.is_loop:
        return f"loop of {counted(part.count, 'turn')}"
    if part.first == part.last:
        return f"turn {part.first:,} of {part.count:,}"
    return f"turns {part.first:,} to {part.last:,} of {part.count:,}"


def part_title(behaviour: Behaviour, part: LoopPart, space: int) -> Line:
    """Return which turns of which function are asked about."""
    name = part_name(part)
    return line(Piece(name, Role.STRONG), f" in {fitted(behaviour.name, space - len(name) - 4)}")


def head_section(drawing: Drawing, part: LoopPart) -> Iterator[Section]:
    """Say how the loop is written, and what the item of a turn is."""
    yield Section("written", [line(fitted(part.head, drawing.room))])
    yield Section("item", drawing.values(drawing.behaviour.given), "given")


def unchanged_section(drawing: Drawing) -> Iterator[Section]:
    """Say that nothing changed, where that is what came of it."""
    if not drawing.behaviour.changes:
        yield Section("changed", [line(Piece("nothing", Role.DIM))])
