"""Transformations: each turns an execution tree into another one over the same trace.

A transformation takes a tree and an outline, and returns a tree.  Nodes with the same subject keep
their keys, so that answers stay valid.  Transformations are applied in the order of the table,
whatever order the user types.
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
    """A transformation with a sentence about it."""

    make: Callable[..., Transformation]
    """Called with the trace, and the parameters as keywords."""
    what: str
    parameters: tuple[Parameter, ...] = ()


_SIZES = (
    Parameter("min", "fewest", 2, "Fewer neighbouring calls than this are not grouped."),
    Parameter("max", "most", 2, "The most members of a group."),
    Parameter("levels", "levels", 1, "The most levels of groups within groups."),
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
        "Consecutive calls that each continue with the state the previous one left become groups, "
        "which are split until one call is left.",
        _SIZES,
    ),
    "balance": Described(
        Balancing,
        "Neighbouring calls become groups that are judged together and halved until one is left.",
        _SIZES,
    ),
}
_WISHES: Mapping[str, Transformation] = {"compress": inlined, "collapse": folded}
"""Transformation -> the user's wishes that are applied before it."""
DEFAULT_SHAPE = ("loops", "forward", "balance")
"""The transformations that are on by default."""
NO_TRANSFORMATION = "none"
"""The word to type for the tree as recorded."""
USUAL = "default"
"""The word to type for the default shape."""

_MOST_KEPT = 8
_WIDE, _MOST_WIDE, _MOST_MOMENTS = 8, 16, 4_000_000
"""Limits for opening calls at once: least callees, most calls, most moments of all together."""


def named(words: Iterable[str]) -> tuple[str, ...]:
    """Return the transformations for typed words, in the order of the table.

    A name may have parameters: `balance:min=8:max=100`.
    """
    wanted: dict[str, str] = {}
    for word in words:
        if word == NO_TRANSFORMATION:
            continue
        for each in DEFAULT_SHAPE if word == USUAL else (word,):
            wanted[_checked(each)] = each
    return tuple(wanted[name] for name in TRANSFORMATIONS if name in wanted)


def _checked(word: str) -> str:
    """Return a word if it names a transformation with valid parameters."""
    name = name_of(word)
    if name not in TRANSFORMATIONS:
        known = ", ".join((*TRANSFORMATIONS, USUAL, NO_TRANSFORMATION))
        raise UsageError(f"There is no transformation {name!r}. The transformations are: {known}.")
    settings_of(word, TRANSFORMATIONS[name].parameters)
    return name


def changed(current: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    """Return the transformations for typed words: a full list, or changes with + and -."""
    if not words or not all(word.startswith(("+", "-")) for word in words):
        return named(words)
    added = [word[1:] for word in words if word.startswith("+")]
    gone = {name_of(each) for each in named(word[1:] for word in words if word.startswith("-"))}
    return named([*(word for word in current if name_of(word) not in gone), *added])


class Shaper:
    """Applies transformations to one tree, with a cache of the last results."""

    def __init__(self, trace: Trace, tree: FlatTree) -> None:
        self._trace = trace
        self._tree = tree
        self._made: dict[str, Transformation] = {}
        self._kept: dict[Outline, FlatTree] = {}

    def of_part(self, tree: FlatTree) -> "Shaper":
        """Return a shaper for a subtree that shares the caches of this one."""
        part = Shaper(self._trace, tree)
        part._made, part._wide = self._made, self._wide
        return part

    @cached_property
    def _wide(self) -> frozenset[Key]:
        """The calls with the most callees, among which a search takes longest."""
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
        """Return the tree in the shape of an outline."""
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
        """Yield the transformations in order, the user's wishes among them."""
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
