"""The frame in which a value is drawn: its moment, its room, and which objects are opened."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sleuth.trace.values import Part
from sleuth.views.drawing.styled import width as columns

_LEAST_WIDTH = 12
_WIDEST_SMALL = 60
"""Columns of a container that is small."""


@dataclass(slots=True)
class Plan:
    """Which objects are drawn with their contents, and what is left out while they are drawn."""

    opened: Mapping[int, int]
    """Object -> the columns of its contents."""
    has_small: bool = True
    """Whether small containers are drawn with their items, wherever they are."""
    is_ranked: bool = False
    """Whether parts that matter stand before others, as not all of them have room."""
    closed: list[int] = field(default_factory=list)
    """Objects that were drawn without their contents, in order."""
    missing: dict[int, int] = field(default_factory=dict)
    """Object -> the number of its items that were left out."""

    is_cut: bool = False
    """Whether a text was cut."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out."""
        return not (self.closed or self.missing or self.is_cut)

    def leaves_out(self, holder: int, more: int) -> None:
        """Note that items of an object were left out."""
        if more > 0:
            self.missing[holder] = max(self.missing.get(holder, 0), more)

    def is_worse_than(self, other: "Plan") -> bool:
        """Whether it leaves out items of an object that the other one shows with more."""
        return any(
            count > other.missing.get(holder, 0)
            for holder, count in self.missing.items()
            if holder in other.opened
        )


@dataclass(frozen=True, slots=True)
class Frame:
    """The moment, room and depth with which a value is drawn."""

    at: int
    width: int
    depth: int
    """Levels left: containers take one, other objects two; with none an object is only named."""
    around: tuple[int, ...] = ()
    """The objects that contain the value."""
    plan: Plan | None = None
    """None: the depth alone decides what is drawn with its contents."""

    def narrower(self, *, levels: int) -> "Frame":
        """Return the frame for what is inside."""
        width = max(self.width // 2, _LEAST_WIDTH)
        return replace(self, width=width, depth=self.depth - levels)

    def small(self) -> "Frame":
        """Return the frame for a container that may be small, with a plan of its own."""
        return replace(self, width=_WIDEST_SMALL, depth=1, plan=Plan({}))

    def is_small(self, text: str) -> bool:
        """Whether a text that was drawn in this frame shows a small container whole."""
        return bool(self.plan and self.plan.is_whole) and columns(text) <= _WIDEST_SMALL

    @property
    def is_ranked(self) -> bool:
        """Whether parts that matter stand before others."""
        return self.plan is not None and self.plan.is_ranked

    def close(self) -> None:
        """Note that the innermost object is drawn without its contents."""
        if self.plan is not None:
            self.plan.closed.append(self.around[-1])

    def joined(
        self,
        text_of: Callable[[int], str],
        part: Part,
        room: int,
        separator: str,
        first: Sequence[int] = (),
    ) -> str:
        """Return as many items as there is room for, and the number of the others.

        first: the numbers of items that are shown rather than others, all in their true order.
        """
        order = [*first, *(at for at in range(len(part.items)) if at not in first)]
        words: dict[int, str] = {}
        used = 0
        for number in order:
            word = text_of(number)
            if words and used + columns(word) > room:
                break
            words[number] = word
            used += columns(word) + len(separator)
        more = part.full_length - len(words)
        if self.plan is not None and self.around:
            self.plan.leaves_out(self.around[-1], more)
        texts = _in_order(words)
        behind = part.full_length - 1 - max(words, default=-1)
        if behind > 0:
            more, lost = behind, part.full_length - len(part.items)
            kept = "" if part.is_complete else f", {f'{lost:,} ' if lost < more else ''}not kept"
            texts.append(f"... {more:,} more{kept}")
        elif not part.is_complete:
            texts.append("... perhaps more")
        return separator.join(texts)


def _in_order(words: Mapping[int, str]) -> list[str]:
    """Return items in their true order; between them it is said how many are left out."""
    texts: list[str] = []
    before = -1
    for number in sorted(words):
        texts += [f"... {number - before - 1:,} more"] if number > before + 1 else []
        texts.append(words[number])
        before = number
    return texts
