"""Lets the oracles answer before the user is asked; finishes unattended sessions."""

from typing import TYPE_CHECKING

import numpy as np

from sleuth.search.question import (
    UNATTENDED,
    Alike,
    Answer,
    Diagnosis,
    Oracle,
    Question,
    QuickOracle,
    Verdict,
)

if TYPE_CHECKING:
    from sleuth.search.session import Session
    from sleuth.tree.node import Numbers

_MOST_LOOKED = 1_000
"""Nodes that are tried for one answer while the user waits."""
_MOST_BETWEEN = 50
"""Calls around a diagnosis that are tried."""
_MUCH = 0.02
"""An answer that excludes this share of the suspicion is taken at once."""


def settled(session: "Session", *, patiently: bool = False) -> "Session":
    """Let the oracles answer what they can; `patiently` tries all nodes."""
    while found := _next_answers(session, patiently=patiently):
        session = session.given(found[0]) if len(found) == 1 else session.extended(found)
    return session


def unattended(session: "Session") -> "Session":
    """Finish a session without a user: what no oracle can answer counts as "don't know"."""
    session = session.without_followers()
    while True:
        session = settled(session, patiently=True)
        pending, space = session.pending, session.space
        if not isinstance(pending, Question) or pending.again is not None:
            return session
        nodes = np.flatnonzero(space.is_askable) + space.focus
        also = tuple(session.problem.tree.key(node) for node in nodes.tolist())
        said = Answer(pending.about, Verdict.UNKNOWN, by=UNATTENDED)
        entries = (said, Alike(session.answer_count + 1, also)) if also else (said,)
        session = session.extended(entries)


def _next_answers(session: "Session", *, patiently: bool) -> list[Answer]:
    """Return an oracle's answers to the pending question, or to others that could be asked."""
    oracles = [each for each in session.oracles if each.name not in session.ledger.off]
    question = session.pending
    if isinstance(question, Diagnosis):
        return _on_the_way(session, oracles, question)
    if not oracles or not isinstance(question, Question) or question.again is not None:
        return []
    for oracle in oracles:
        found = _said(session, oracle, question)
        if found is not None:
            return [found]
    for oracle in oracles:
        if isinstance(oracle, QuickOracle):
            nodes = oracle.may_answer(session.problem.tree, _by_information(session))
            several = _about(session, oracle, nodes[: None if patiently else _MOST_LOOKED])
            if several:
                return several
    return []


def _on_the_way(session: "Session", oracles: list[Oracle], found: Diagnosis) -> list[Answer]:
    """Return answers that make a diagnosis traceable: "wrong" for a call between it and the root.

    Nothing is asked that way which the user would have to answer.
    """
    if found.is_confirmed or not found.is_only_one:
        return []
    for node in found.between[:_MOST_BETWEEN]:
        for oracle in oracles:
            answer = _said(session, oracle, session.question(node))
            if answer is not None and answer.verdict is Verdict.WRONG:
                return [answer]
    return []


def _about(session: "Session", oracle: Oracle, nodes: "Numbers") -> list[Answer]:
    """Return the first answer that excludes much, or all answers that exclude little."""
    tree, space = session.problem.tree, session.space
    enough = _MUCH * space.total
    found: list[Answer] = []
    is_out = np.zeros(len(tree), bool)
    for node in nodes.tolist():
        if is_out[node]:
            continue
        answer = _said(session, oracle, session.question(node))
        if answer is None:
            continue
        if answer.verdict is not Verdict.RIGHT or space.weight[node - space.focus] >= enough:
            return [*found, answer] if answer.verdict is Verdict.RIGHT else [answer]
        found.append(answer)
        is_out[node : tree.end[node]] = True
    return found


def _said(session: "Session", oracle: Oracle, question: Question) -> Answer | None:
    if (oracle.name, question.about) in session.ledger.taken_back:
        return None
    return oracle.answer(question)


def _by_information(session: "Session") -> "Numbers":
    """Return all askable nodes, those nearest to half of the suspicion first."""
    space = session.space
    nodes = np.flatnonzero(space.is_askable)
    order = np.argsort(np.abs(2 * space.weight[nodes] - space.total), kind="stable")
    found: Numbers = nodes[order] + space.focus
    return found
