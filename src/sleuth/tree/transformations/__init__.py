"""Transformations: from an execution tree to another one over the same trace.

A transformation is given a tree and an outline of what it is to be like, and returns a tree.
Nodes keep their keys where they are about the same, so that answers stay valid.  The order in
which they are applied is that of the table, whatever the user types.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from sleuth.errors import UsageError
from sleuth.trace.reader import Trace
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Key, NodeKind
from sleuth.tree.transformations.balance import Balancing
from sleuth.tree.transformations.balance_chains import ChainBalancing
from sleuth.tree.transformations.collapse import Collapsing
from sleuth.tree.transformations.compress import Compression, FullCompression
from sleuth.tree.transformations.fold import folded, inlined
from sleuth.tree.transformations.forward import Forwarding
from sleuth.tree.transformations.loops import LoopExpansion
from sleuth.tree.transformations.outline import Outline
from sleuth.tree.transformations.parameters import Parameter, name_of, settings_of
from sleuth.tree.transformations.streams import StreamExpansion

Transformation: TypeAlias = Callable[[FlatTree, Outline], FlatTree]


class Described(NamedTuple):
    """A transformation, and what it does, in a sentence."""

    make: Callable[..., Transformation]
    """Given the trace, and as keywords what parameters were set to."""
    what: str
    parameters: tuple[Parameter, ...] = ()


_SIZES = (
    Parameter("min", "fewest", 2, "Fewer calls side by side are left as they are."),
    Parameter("max", "most", 2, "A group has at most so many members."),
    Parameter("levels", "levels", 1, "Groups lie in groups at most so deep."),
)
TRANSFORMATIONS: Mapping[str, Described] = {
    "loops": Described(
        LoopExpansion,
        "Loops and their turns are asked about, and can be found guilty, apart from their call.",
    ),
    "streams": Described(
        StreamExpansion,
        "Generators are asked about as one stream, then step by step: what each next gave.",
    ),
    "forward": Described(
        Forwarding,
        "Calls that only forward (wrappers of decorators, getters) are part of their callers.",
    ),
    "compress": Described(
        Compression,
        "Recursive calls are judged as one with the call that made them, where that saves "
        "questions under the strategy in use.",
    ),
    "compress-all": Described(
        FullCompression,
        "All recursive calls are judged as one with the call that made them.",
    ),
    "collapse": Described(
        Collapsing,
        "Calls of one function that follow one another, and made no calls, are judged as one.",
        _SIZES[:2],
    ),
    "balance-chains": Described(
        ChainBalancing,
        "Calls that go on with the state that the one before left become groups that are judged "
        "together, parted until one is left.",
        _SIZES,
    ),
    "balance": Described(
        Balancing,
        "Many calls side by side become groups that are judged together, halved until one is left.",
        _SIZES,
    ),
}
_WISHES: Mapping[str, Transformation] = {"compress": inlined, "collapse": folded}
"""What the user wants, by what it is done before."""
DEFAULT_SHAPE = ("loops", "forward", "balance")
"""What is on unless the user wants it otherwise."""
NO_TRANSFORMATION = "none"
"""What to type for the tree as it was recorded."""
USUAL = "default"
"""What to type for the shape that is on by itself."""

_MOST_KEPT = 8
_WIDE, _MOST_WIDE, _MOST_MOMENTS = 8, 16, 4_000_000
"""Calls that made so many are open from the beginning: so many of them, as long as this in all."""


def named(words: Iterable[str]) -> tuple[str, ...]:
    """Return the transformations that are meant, in the order of the table.

    Behind a name its parameters may stand: `balance:min=8:max=100`.
    """
    wanted: dict[str, str] = {}
    for word in words:
        if word == NO_TRANSFORMATION:
            continue
        for each in DEFAULT_SHAPE if word == USUAL else (word,):
            wanted[_checked(each)] = each
    return tuple(wanted[name] for name in TRANSFORMATIONS if name in wanted)


def _checked(word: str) -> str:
    """Return the name of the transformation that a word stands for."""
    name = name_of(word)
    if name not in TRANSFORMATIONS:
        known = ", ".join((*TRANSFORMATIONS, USUAL, NO_TRANSFORMATION))
        raise UsageError(f"There is no transformation {name!r}. There are: {known}.")
    settings_of(word, TRANSFORMATIONS[name].parameters)
    return name


def changed(current: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    """Return the transformations that are meant: all of them, or with + and - what is changed."""
    if not words or not all(word.startswith(("+", "-")) for word in words):
        return named(words)
    added = [word[1:] for word in words if word.startswith("+")]
    gone = {name_of(each) for each in named(word[1:] for word in words if word.startswith("-"))}
    return named([*(word for word in current if name_of(word) not in gone), *added])


class Shaper:
    """Applies transformations to one tree; the last results are kept."""

    def __init__(self, trace: Trace, tree: FlatTree) -> None:
        self._trace = trace
        self._tree = tree
        self._made: dict[str, Transformation] = {}
        self._kept: dict[Outline, FlatTree] = {}

    def of_part(self, tree: FlatTree) -> "Shaper":
        """Return one for a part of the tree: it opens the same calls, and knows what this knows."""
        part = Shaper(self._trace, tree)
        part._made, part._wide = self._made, self._wide
        return part

    @cached_property
    def _wide(self) -> frozenset[Key]:
        """The calls that made the most: where they lie side by side a search takes longest."""
        tree = self._tree
        made = np.bincount(tree.parent[1:], minlength=len(tree))
        is_wide = (made >= _WIDE) & (tree.kind == NodeKind.CALL) & tree.is_done & (tree.last >= 0)
        found: list[Key] = []
        moments = 0
        for node in sorted(np.flatnonzero(is_wide).tolist(), key=lambda each: -int(made[each])):
            key = tree.key(node)
            moments += key.last - key.first
            if len(found) >= _MOST_WIDE or moments > _MOST_MOMENTS:
                break
            found.append(key)
        return frozenset(found)

    def tree(self, outline: Outline) -> FlatTree:
        """Return the tree in the shape that an outline gives it."""
        if outline.names or outline.wishes:
            outline = replace(outline, opened=outline.opened | self._wide)
        if outline in self._kept:
            return self._kept[outline]
        tree = self._tree
        for transform in self._steps(outline):
            tree = transform(tree, outline)
        if len(self._kept) >= _MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[outline] = tree
        return tree

    def _steps(self, outline: Outline) -> Iterator[Transformation]:
        """Yield what is to be done, in order; the user's wishes have their places in it."""
        wishes = {} if not outline.wishes else _WISHES
        words = {name_of(word): word for word in outline.names}
        for name, described in TRANSFORMATIONS.items():
            if name in wishes:
                yield wishes[name]
            if name in words:
                word = words[name]
                if word not in self._made:
                    settings = settings_of(word, described.parameters)
                    self._made[word] = described.make(self._trace, **settings)
                yield self._made[word]
