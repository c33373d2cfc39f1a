"""The truth about a mutant: which calls, loops and turns did wrong, by a run that was right.

The reference judges the calls that it can compare.  Of the others, those are wrong that ran the
mutated line themselves, or contain a wrong call.
"""

import numpy as np

from bench.pointing.mutants import Mutant
from sleuth.opening import Opened
from sleuth.oracles import reference
from sleuth.search.question import Verdict
from sleuth.tree.coverage import coverage, coverage_between
from sleuth.tree.node import ExecutionTree, Flags, Key, NodeKind


class Truth:
    """Judges the nodes of all shapes of a run's tree."""

    def __init__(self, opened: Opened, mutant: Mutant) -> None:
        self._opened = opened
        self._mutant = mutant
        self._wrong = self._calls()
        self._known: dict[tuple[Key, int, int], bool] = {}

    def is_wrong(self, tree: ExecutionTree, node: int) -> bool:
        """Tell whether a node did wrong."""
        key = tree.key(node), int(tree.kind[node]), int(tree.end[node]) - node
        if key not in self._known:
            self._known[key] = self._look(tree, node)
        return self._known[key]

    def is_found(self, about: Key) -> bool:
        """Tell whether a diagnosis names the function that was mutated."""
        return about.call >= 0 and self._name(about.call) == self._mutant.function

    def _look(self, tree: ExecutionTree, node: int) -> bool:
        kind = tree.kind[node]
        if kind == NodeKind.RUN:
            return True
        if kind == NodeKind.CALL and not tree.is_merged(node):
            return self._of_call(int(tree.call[node]))
        merged = tree.calls_in(node).tolist() if tree.is_merged(node) else []
        if any(map(self._of_call, merged)):
            return True
        if any(self.is_wrong(tree, each) for each in tree.children(node).tolist()):
            return True
        return kind in (NodeKind.LOOP, NodeKind.TURN) and self._ran_mutated(tree.key(node))

    def _ran_mutated(self, key: Key) -> bool:
        if not self._of_call(key.call) or self._name(key.call) != self._mutant.function:
            return False
        trace = self._opened.trace
        ran = coverage_between(trace, trace.call(key.call), key.first, key.last)
        return self._mutant.line in ran.lines

    def _of_call(self, number: int) -> bool:
        return bool(self._wrong[self._opened.node_of(number)])

    def _name(self, number: int) -> str:
        function = self._opened.trace.function(self._opened.trace.call(number).function)
        return function.qualified_name if function else ""

    def _calls(self) -> Flags:
        trace, tree = self._opened.trace, self._opened.tree
        compared = reference.made(trace, {"reference": [str(self._mutant.good)]})
        session = self._opened.session(transform=())
        wrong = np.zeros(len(tree), bool)
        for node in range(len(tree) - 1, 0, -1):
            answer = compared.answer(session.question(node)) if compared else None
            if answer is not None:
                wrong[node] = answer.verdict is Verdict.WRONG
                continue
            call = trace.call(int(tree.call[node]))
            is_it = self._name(call.id) == self._mutant.function
            ran = is_it and self._mutant.line in coverage(trace, call).lines
            wrong[node] = ran or wrong[node + 1 : tree.end[node]].any()
        wrong[0] = True
        return wrong
