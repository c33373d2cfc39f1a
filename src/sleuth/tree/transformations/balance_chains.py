"""Balancing by chains: groups only calls that continue with the state of the previous one.

A question about such a group asks how a state developed.
"""

from functools import lru_cache

import numpy as np

from sleuth.trace.reader import Trace
from sleuth.tree.dependence.chains import Chains, stretches
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Flags, Masses
from sleuth.tree.transformations.grouping import Holder, Sizes, additions, grouped
from sleuth.tree.transformations.insertion import Addition, inserted
from sleuth.tree.transformations.outline import Outline
from sleuth.tree.transformations.projection import Part, projected

_FEWEST = 2
_MANY, _LONG = 512, 64
"""With more children each chain is treated alone; longer chains are halved."""


class ChainBalancing:
    """Groups the chains among the children of opened nodes."""

    def __init__(
        self, trace: Trace, *, fewest: int = _FEWEST, most: int = 0, levels: int = 0
    ) -> None:
        self._chains = Chains(trace)
        self._sizes = Sizes(fewest, most, levels)

    def __call__(self, tree: FlatTree, outline: Outline) -> FlatTree:
        """Return a tree in which the chains below opened nodes are groups."""
        kind = type(self), self._sizes
        return inserted(tree, additions(tree, outline, kind, self._addition))

    def _addition(self, holder: Holder) -> Addition | None:
        links = self._chains.of(holder.tree, holder.node, holder.children)
        chains = [
            (start, stop)
            for start, stop in stretches(links.is_linked & holder.is_together)
            if stop - start >= self._sizes.fewest
        ]
        is_aligned = np.concatenate(([True], links.is_aligned, [True]))
        return grouped(
            holder,
            _top(holder, chains, is_aligned),
            lambda start, stop: _smaller(holder, start, stop, is_aligned),
            self._sizes,
        )


def _top(holder: Holder, chains: list[Part], is_aligned: Flags) -> list[Part]:
    if len(holder.children) <= _MANY:
        own = float(holder.tree.mass[holder.node])
        return _parts(holder.weights, tuple(chains), own, is_aligned)
    if chains == [(0, len(holder.children))]:
        return _smaller(holder, *chains[0], is_aligned)
    return chains


def _smaller(holder: Holder, start: int, stop: int, is_aligned: Flags) -> list[Part]:
    if stop - start > _LONG:
        middle = holder.half(start, stop, is_aligned)
        return [(start, middle), (middle, stop)]
    weights, members = holder.weights[start:stop], stop - start
    parts = _parts(weights, ((0, members),), 0.0, is_aligned[start : stop + 1])
    return [(low + start, high + start) for low, high in parts]


def _parts(weights: Masses, chains: tuple[Part, ...], own: float, is_aligned: Flags) -> list[Part]:
    return list(_kept_parts(weights.tobytes(), chains, own, is_aligned.tobytes()))


@lru_cache(maxsize=4096)
def _kept_parts(
    weights: bytes, chains: tuple[Part, ...], own: float, is_aligned: bytes
) -> tuple[Part, ...]:
    """Return the parts to project, cached, as they are needed after each answer."""
    aligned = np.frombuffer(is_aligned, bool)
    return tuple(projected(np.frombuffer(weights), chains, own, aligned))
