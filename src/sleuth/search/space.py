"""SearchSpace: the focus, the suspects in it and their masses, derived from the answers.

The focus is the deepest node known to be wrong.  A node judged right is excluded with its subtree;
a trusted node is excluded alone; a node answered "don't know" is not asked about again but stays a
suspect.  Everything is derived from the answers, in a few passes over arrays that cover just the
focus.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sleuth.search.ledger import Ledger
from sleuth.search.problem import Problem, Weighing
from sleuth.search.question import Given, Verdict
from sleuth.tree.node import ExecutionTree, Flags, Key, Masses, NodeKind, Numbers
from sleuth.tree.transformations.fold import in_region, is_folded
from sleuth.tree.transformations.outline import Wished

_SKIP, _WRONG = Verdict.SKIP, Verdict.WRONG
_EXCLUDING = (Verdict.RIGHT, Verdict.INADMISSIBLE)
_LITTLE = 1e-3
"""With hints, nodes with less than this share of the suspicion are asked about last."""
_ON_NODES = (*_EXCLUDING, Verdict.WRONG, Verdict.UNKNOWN)


@dataclass(frozen=True, eq=False)
class Judgements:
    """The answers, mapped to the nodes of one tree."""

    verdicts: Mapping[int, tuple[Verdict, int]]
    """Node -> its last verdict, and the number of the answer."""
    nodes: Numbers
    """The nodes with a verdict."""
    excluded: Numbers
    """The nodes judged right or inadmissible."""
    wrong: tuple[int, ...]
    """Nodes judged wrong, in the order of the answers."""
    trusted: Flags
    trusting: Mapping[int, int]
    """Routine -> the answer that made it trusted; routines trusted by default are left out."""
    skips: Mapping[int, int]
    """Node -> how often it was skipped."""
    explained: Flags
    """Nodes that are or contain a confirmed bug, or code of one."""
    same_bug: Flags
    """Nodes that run the code of a confirmed bug: they count as the same bug."""
    last: int | None
    """The node judged last."""
    wishes: tuple[Wished, ...] = ()
    """The user's wishes to fold or to search first."""
    implied: Mapping[int, int] = field(default_factory=dict)
    """Node -> the answer that makes it right, about turns or a group without a node here."""
    beside: Mapping[int, Numbers] = field(default_factory=dict)
    """Node -> its children outside of the wrong part, which has no node here."""


def judgements(problem: Problem, ledger: Ledger) -> Judgements:
    """Map the answers to the nodes."""
    tree = problem.tree
    verdicts: dict[int, tuple[Verdict, int]] = {}
    skips: Counter[int] = Counter()
    last = None
    implied: dict[int, int] = {}
    narrowed: dict[int, _Narrowed] = {}
    for given in ledger.given:
        node = problem.find(given.answer.about)
        if node is None:
            if given.answer.verdict in _EXCLUDING:
                inside = tree.inside(given.answer.about, given.answer.passed).tolist()
                implied |= dict.fromkeys(inside, given.number)
            elif given.answer.verdict is Verdict.WRONG:
                _narrow(tree, given, verdicts, narrowed)
            continue
        if given.answer.verdict is _SKIP:
            skips[node] += 1
        elif given.answer.verdict in _ON_NODES:
            last = node
            also = (each for each in map(problem.find, given.also) if each is not None)
            for each in (*also, node):
                verdicts.pop(each, None)
                verdicts[each] = given.answer.verdict, given.number
    trusted, trusting = _trust(problem, ledger.given)
    excluded = [node for node, (verdict, _) in verdicts.items() if verdict in _EXCLUDING]
    bugs = [node for node in map(problem.find, ledger.confirmed) if node is not None]
    same_bug = _same_code(tree, bugs, (*excluded, *implied))
    explained = _explained(tree, np.union1d(bugs, np.flatnonzero(same_bug)).astype(np.int64))
    return Judgements(
        verdicts=verdicts,
        nodes=np.array(list(verdicts), np.int64),
        excluded=np.array([*excluded, *implied], np.int64),
        wrong=tuple(node for node, (verdict, _) in verdicts.items() if verdict is _WRONG),
        trusted=trusted,
        trusting=trusting,
        skips=skips,
        explained=explained,
        same_bug=same_bug,
        last=last,
        wishes=ledger.wishes,
        implied=implied,
        beside={node: each.beside for node, each in narrowed.items()},
    )


class _Narrowed(NamedTuple):
    """The wrong part of a node, by an answer about an interval without a node here."""

    about: Key
    beside: Numbers


def _narrow(
    tree: ExecutionTree,
    given: Given,
    verdicts: dict[int, tuple[Verdict, int]],
    narrowed: dict[int, _Narrowed],
) -> None:
    """Map a wrong interval to the smallest node around it, which is wrong because of it."""
    about = given.answer.about
    found = tree.around(about)
    if found is None or verdicts.get(found[0], (None, 0))[0] in _EXCLUDING:
        return
    node, beside = found
    verdicts.pop(node, None)
    verdicts[node] = Verdict.WRONG, given.number
    was = narrowed.get(node)
    if was is None or not (about.first <= was.about.first and was.about.last <= about.last):
        narrowed[node] = _Narrowed(about, beside)


def _trust(problem: Problem, given: Iterable[Given]) -> tuple[Flags, dict[int, int]]:
    tree = problem.tree
    trusted = tree.is_trusted.copy()
    trusting: dict[int, int] = {}
    for each in given:
        node, verdict = problem.find(each.answer.about), each.answer.verdict
        if node is None or verdict in _ON_NODES or verdict is _SKIP:
            continue
        is_module = verdict in (Verdict.TRUST_MODULE, Verdict.DOUBT_MODULE)
        column = tree.module if is_module else tree.routine
        meant = column == column[node]
        is_trust = verdict in (Verdict.TRUST_FUNCTION, Verdict.TRUST_MODULE)
        trusted[meant] = is_trust
        for routine in np.unique(tree.routine[meant]).tolist():
            if is_trust:
                trusting[routine] = each.number
            else:
                trusting.pop(routine, None)
    if (trusted != tree.is_trusted).any():
        _trust_groups(tree, trusted)
    return trusted, trusting


def _trust_groups(tree: ExecutionTree, trusted: Flags) -> None:
    """Mark a group as trusted if all its members are, whatever function it is in."""
    is_group = tree.kind == NodeKind.GROUP
    trusted[is_group] = True
    doubted = np.flatnonzero(~trusted)
    while len(doubted):
        above = np.unique(tree.parent[doubted])
        doubted = above[is_group[above] & trusted[above]]
        trusted[doubted] = False


def _same_code(tree: ExecutionTree, bugs: Iterable[int], excluded: Iterable[int]) -> Flags:
    """Tell which calls are of functions with a confirmed bug, and which parts they have.

    Those in a subtree that was judged right are not: there the bug did no harm.
    """
    routines = np.unique(tree.routine[list(bugs)])
    found: Flags = np.isin(tree.routine, routines) & (tree.kind != NodeKind.GROUP)
    for node in excluded if len(routines) else ():
        found[node : tree.end[node]] = False
    return found


def _explained(tree: ExecutionTree, bugs: Numbers) -> Flags:
    """Tell which nodes are among some nodes, or contain one."""
    is_bug = np.zeros(len(tree), bool)
    is_bug[bugs] = True
    count = _before(is_bug, np.int64)
    explained: Flags = count[tree.end] > count[:-1]
    return explained


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """What is left to search.  Arrays cover the focus: item 0 is the focus itself."""

    problem: Problem
    judged: Judgements
    focus: int
    """The deepest wrong node, or the node to search if none is known to be wrong."""
    is_wrong: bool
    """Whether the focus is known (or assumed) to be wrong."""
    silent: frozenset[int] = frozenset()
    """Nodes, counted from the focus, whose questions are known to show nothing to judge."""

    def without(self, node: int) -> "SearchSpace":
        """Return the space after a node was found to show nothing; it is asked about last."""
        found = copy(self)
        found.__dict__.pop("candidates", None)
        found.__dict__["silent"] = self.silent | {node}
        return found

    @property
    def tree(self) -> ExecutionTree:
        """The tree that is searched."""
        return self.problem.tree

    @cached_property
    def stop(self) -> int:
        """The end of the focus: its nodes are focus to stop - 1."""
        return int(self.tree.end[self.focus])

    @cached_property
    def ends(self) -> Numbers:
        """The ends of the subtrees, counted from the focus."""
        return self.tree.end[self.focus : self.stop].astype(np.int64) - self.focus

    @cached_property
    def is_excluded(self) -> Flags:
        """Nodes in a subtree that was judged right or inadmissible."""
        nodes = self._here(self.judged.excluded)
        if self.is_wrong:
            nodes = np.concatenate((nodes, *map(self._here, self._beside())))
            nodes = nodes[nodes > 0]
        if not len(nodes):
            return np.zeros(self.stop - self.focus, bool)
        change = np.zeros(self.stop - self.focus + 1, np.int32)
        np.add.at(change, nodes, 1)
        np.subtract.at(change, self.ends[nodes], 1)
        is_excluded: Flags = np.cumsum(change[:-1]) > 0
        return is_excluded

    def _beside(self) -> Iterator[Numbers]:
        """Yield the nodes outside of the wrong part of the focus, or of a node around it."""
        for node, beside in self.judged.beside.items():
            is_around = node <= self.focus < self.tree.end[node]
            if is_around and not self.judged.explained[node]:
                yield beside

    def _here(self, nodes: Numbers) -> Numbers:
        """Return the nodes that are in the focus, counted from it."""
        return nodes[(nodes >= self.focus) & (nodes < self.stop)] - self.focus

    @cached_property
    def is_open(self) -> Flags:
        """Nodes that have ended, and are not judged, trusted, excluded or explained by a bug."""
        here = slice(self.focus, self.stop)
        is_open = self.tree.is_done[here] & ~self.judged.trusted[here] & ~self.is_excluded
        is_open &= ~self.judged.explained[here]
        is_open[self._here(self.judged.nodes)] = False
        if self.is_wrong:
            is_open[0] = False
        return is_open

    @cached_property
    def unknown(self) -> Numbers:
        """Suspects that were answered "don't know"."""
        unknown = Verdict.UNKNOWN
        found = [
            node
            for node, (verdict, _) in self.judged.verdicts.items()
            if verdict is unknown and self._may_be_guilty(node)
        ]
        return np.array(sorted(found), np.int64)

    def _may_be_guilty(self, node: int) -> bool:
        inside = self.focus <= node < self.stop and not (self.is_wrong and node == self.focus)
        return inside and not self.is_excluded[node - self.focus] and self.tree.mass[node] > 0

    @property
    def is_only_symptom(self) -> bool:
        """Whether the focus is trusted, as a test is, and only shows the symptom."""
        focus = self.focus
        is_start = focus == self.problem.start != self.problem.root
        return is_start and bool(self.judged.trusted[focus]) and focus not in self.judged.verdicts

    @cached_property
    def is_suspect(self) -> Flags:
        """Nodes that may hold the bug in their own code, the wrong focus included."""
        suspect = self.is_open.copy()
        suspect[self.unknown - self.focus] = True
        is_it = self.is_wrong and not self.judged.explained[self.focus]
        suspect[0] |= is_it and not self.is_only_symptom
        suspect &= self.tree.mass[self.focus : self.stop] > 0
        return suspect

    @cached_property
    def own(self) -> Masses:
        """How suspicious each node's own code is."""
        weigh = self.problem.weigh
        mass = self.tree.mass[self.focus : self.stop] if weigh is None else weigh(self)
        return np.where(self.is_suspect, mass, 0.0)

    @cached_property
    def ranking(self) -> Masses:
        """How likely each node is to be the bug: `own` without what only orders questions."""
        weigh = self.problem.weigh
        if not isinstance(weigh, Weighing):
            return self.own
        return np.where(self.is_suspect, weigh.ranking(self), 0.0)

    @cached_property
    def weight(self) -> Masses:
        """How suspicious each subtree is."""
        return self.summed(self.own)

    @property
    def total(self) -> float:
        """The sum of the suspicion, the wrong focus included."""
        return float(self.weight[0])

    @cached_property
    def remaining(self) -> Numbers:
        """The number of suspects in each subtree."""
        return self._counted(self.is_suspect)

    def nodes_left(self, nodes: Numbers) -> Numbers:
        """The number of remaining nodes in some subtrees, including groups: for ties."""
        sums = self._left_before
        return sums[self.ends[nodes]] - sums[nodes]

    @cached_property
    def _left_before(self) -> Numbers:
        return _before(self.is_suspect | self.is_askable, np.int64)

    def _counted(self, flags: Flags) -> Numbers:
        sums: Numbers = _before(flags, np.int64)
        counts: Numbers = sums[self.ends] - sums[:-1]
        return counts

    def summed(self, own: Masses) -> Masses:
        """Return sums over subtrees."""
        sums: Masses = _before(own, np.float64)
        found: Masses = sums[self.ends] - sums[:-1]
        return found

    @cached_property
    def is_askable(self) -> Flags:
        """Nodes that can be asked about with an answer that gives information.

        A node without code of its own that holds all that is left of the wrong focus must be wrong,
        so it is not asked about.
        """
        able: Flags = self.is_open & (self.remaining > 0)
        if self.is_wrong:
            is_bare = self.tree.mass[self.focus : self.stop] == 0
            able &= ~(is_bare & (self.remaining == self.remaining[0]))
        return able

    @cached_property
    def is_on_path(self) -> bool:
        """Whether a node on the symptom's path is left to ask about."""
        return len(self._on_path) > 0

    @cached_property
    def _on_path(self) -> Numbers:
        path = np.unique(self._here(np.array(self.problem.path, np.int64)))
        path = path[self.is_askable[path]]
        return path[-1:] if self.problem.is_inside_out else path

    @cached_property
    def candidates(self) -> Numbers:
        """The nodes that a strategy chooses from, counted from the focus, in order.

        Nodes that the user wants searched first come first, then those on the symptom's path;
        folded, little suspected and skipped nodes come last.  If a person is asked, what shows
        nothing to judge comes last of all, and before it what is seldom wrong.
        """
        return self._wanted_most(self._in_order(self._wanted_first))

    @cached_property
    def in_any_order(self) -> Numbers:
        """The nodes to choose from, however they look to a person."""
        return self._wanted_most(self._wanted_first)

    @cached_property
    def _wanted_first(self) -> Numbers:
        found = self._on_path if self.is_on_path else np.flatnonzero(self.is_askable)
        for is_preferred in self._wanted():
            among = found if is_preferred[found].any() else np.flatnonzero(self.is_askable)
            found = among[is_preferred[among]] if is_preferred[among].any() else found
        return found

    def _in_order(self, found: Numbers) -> Numbers:
        """Return those of some nodes that a person would want to be asked about first."""
        if self.problem.cost is None or not len(found):
            return found
        if self.silent:
            shows = self.is_askable.copy()
            shows[list(self.silent)] = False
            found = found[shows[found]] if shows[found].any() else np.flatnonzero(shows)
            found = found if len(found) else np.flatnonzero(self.is_askable)
        if self.problem.is_late is not None:
            is_late = self.problem.is_late(self.tree)[self.focus : self.stop]
            found = found[~is_late[found]] if not is_late[found].all() else found
        return found

    def _wanted_most(self, found: Numbers) -> Numbers:
        """Leave out nodes that are little suspected, or were skipped more often than others."""
        if self.problem.weigh is not None and self._is_much[found].any():
            found = found[self._is_much[found]]
        if not self.judged.skips or not len(found):
            return found
        skips = np.zeros(self.stop - self.focus, np.int32)
        for node, count in self.judged.skips.items():
            if self.focus <= node < self.stop:
                skips[node - self.focus] = count
        least: Numbers = found[skips[found] == skips[found].min()]
        return least

    @property
    def has_preferences(self) -> bool:
        """Whether some questions come first, whatever their information."""
        return bool(self.judged.wishes) or (
            self.problem.weigh is not None and not self._is_much.all()
        )

    @cached_property
    def _is_much(self) -> Flags:
        """Nodes with enough suspicion to be worth a question before others."""
        return self.weight >= _LITTLE * self.total

    def _wanted(self) -> Iterator[Flags]:
        """Yield the nodes that the user wants asked about first, the strongest wish last."""
        if self.judged.wishes:
            here = slice(self.focus, self.stop)
            yield ~is_folded(self.tree, self.judged.wishes)[here]
            region = in_region(self.tree, self.judged.wishes)
            if region is not None:
                yield region[here]

    def key(self, node: int) -> Key:
        """Return the key of a node."""
        return self.tree.key(node)


def _before(
    items: npt.NDArray[np.generic], kind: type[np.int64] | type[np.float64]
) -> npt.NDArray[Any]:
    """Return prefix sums, one more than there are items."""
    sums = np.zeros(len(items) + 1, kind)
    np.cumsum(items, out=sums[1:])
    return sums


def space_of(problem: Problem, ledger: Ledger) -> SearchSpace:
    """Derive the search space from the answers."""
    judged = judgements(problem, ledger)
    focus, is_wrong = _focus(problem, judged)
    space = SearchSpace(problem, judged, focus, is_wrong)
    if space.is_only_symptom and not len(space.candidates):
        # It is trusted, and nothing is left in it: search what came before it.
        return SearchSpace(problem, judged, problem.root, is_wrong)
    return space


def _focus(problem: Problem, judged: Judgements) -> tuple[int, bool]:
    """Return the deepest wrong node; one elsewhere that was judged wrong later comes first."""
    tree, focus = problem.tree, problem.start
    if judged.verdicts.get(focus, (None, 0))[0] is Verdict.RIGHT:
        focus = problem.root
    verdict = judged.verdicts.get(focus, (None, 0))[0]
    is_wrong = problem.is_assumed and verdict not in _EXCLUDING and not judged.explained[focus]
    for node in judged.wrong:
        is_above = node <= focus < tree.end[node]
        if judged.explained[node] or (is_above and is_wrong and node != focus):
            continue
        focus, is_wrong = node, True
    # The deepest wrong node in there, by another answer or by an equal question.
    inside = [node for node in judged.wrong if focus < node < tree.end[focus]]
    inside = [node for node in inside if not judged.explained[node]]
    if is_wrong and inside:
        focus = max(inside, key=lambda node: int(tree.depth[node]))
    return focus, is_wrong
