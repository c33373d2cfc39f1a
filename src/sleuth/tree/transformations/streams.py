"""Streams: adds the steps of a generator as nodes below it, like turns of a loop.

A step ends in the middle of a turn, so that a call has nodes for its steps or for its loops, but
not both: with this transformation generators have steps.
"""

from dataclasses import dataclass

import numpy as np

from sleuth.tree.flat import FlatTree
from sleuth.tree.loops.made import own_events
from sleuth.tree.loops.runs import LoopRun
from sleuth.tree.node import Key, Numbers
from sleuth.tree.observe.generator_steps import steps_of
from sleuth.tree.transformations.loops import LoopExpansion, Parts, intervals

_NO_SITE = -1


@dataclass(frozen=True, slots=True, eq=False)
class _StepRun(LoopRun):
    """The steps of one generator, as turns."""

    ends: Numbers

    def turn_end(self, turn: int) -> int:
        """Return the last moment of a step, without what its consumer does afterwards."""
        return int(self.ends[turn])


class StreamExpansion(LoopExpansion):
    """Expands generators in trees over one trace."""

    def _is_mine(self, call: int, names: tuple[str, ...]) -> bool:  # noqa: ARG002 - the signature of its base class
        return steps_of(self._trace, call) is not None

    def _parts(self, tree: FlatTree, node: int, opened: list[Key], _apart: frozenset[Key]) -> Parts:
        parts = Parts()
        steps = steps_of(self._trace, int(tree.call[node]))
        if steps is not None and len(steps.starts) > 1:
            first, last = int(steps.starts[0]), int(steps.ends[-1])
            run = _StepRun(_NO_SITE, first, last, steps.starts, has_start=True, ends=steps.ends)
            intervals(parts, run, -1, opened)
        return parts

    def _counted(self, call: int, moments: Numbers) -> Numbers:
        return np.searchsorted(own_events(self._trace, call).moment, moments)

    def _count(self, call: int) -> int:
        return len(own_events(self._trace, call))
