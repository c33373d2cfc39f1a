"""Answers in, questions and diagnoses out."""

from dataclasses import replace

import pytest

from sleuth.errors import UsageError
from sleuth.search.problem import Problem
from sleuth.search.question import (
    Answer,
    Clash,
    Contradiction,
    Diagnosis,
    NoBug,
    Question,
    Verdict,
)
from sleuth.search.session import Session
from sleuth.tree.flat import FlatTree
from tests.trees import judged, tree_of

pytestmark = pytest.mark.any_version
CHAIN = [-1, 0, 1, 2, 3]
STAR = [-1, 0, 0, 0]


def given(session: Session, *verdicts: tuple[int, str]) -> Session:
    """Give verdicts to nodes."""
    for node, verdict in verdicts:
        session = session.given(Answer(session.problem.tree.key(node), Verdict(verdict)))
    return session


def diagnosis(session: Session) -> Diagnosis:
    assert isinstance(session.pending, Diagnosis)
    return session.pending


def question(session: Session) -> Question:
    assert isinstance(session.pending, Question)
    return session.pending


def contradiction(session: Session) -> Contradiction:
    assert isinstance(session.pending, Contradiction)
    return session.pending


# --- The search space ----------------------------------------------------------------------------


def test_right_prunes_the_subtree_without_judging_it() -> None:
    session = given(Session(Problem(tree_of(CHAIN))), (2, "right"))
    assert session.space.is_suspect.tolist() == [True, True, False, False, False]
    assert set(session.space.judged.verdicts) == {2}


def test_wrong_moves_the_focus() -> None:
    session = given(Session(Problem(tree_of(CHAIN))), (2, "wrong"))
    assert session.space.focus == 2
    assert session.space.candidates.tolist() == [1, 2]


def test_a_wrong_node_inside_of_a_right_one_is_searched_all_the_same() -> None:
    session = given(Session(Problem(tree_of(CHAIN))), (1, "right"), (3, "wrong"), (4, "right"))
    found = diagnosis(session)
    assert found.node == 3
    assert not found.is_traceable
    assert found.between == (1, 2)


def test_a_wrong_node_above_the_focus_leaves_the_focus_where_it_is() -> None:
    session = given(Session(Problem(tree_of(CHAIN))), (3, "wrong"), (1, "wrong"))
    assert session.space.focus == 3


def test_a_wrong_node_elsewhere_is_searched_first() -> None:
    tree = tree_of([-1, 0, 1, 0, 3])
    session = given(Session(Problem(tree)), (1, "wrong"), (3, "wrong"))
    assert session.space.focus == 3


def test_the_deepest_wrong_node_is_the_focus_however_it_became_known() -> None:
    tree = tree_of([-1, 0, 1, 2, 0, 4])
    session = given(Session(Problem(tree)), (3, "wrong"), (4, "wrong"), (1, "wrong"))
    assert session.space.focus == 3


def test_of_equal_wrong_nodes_the_one_asked_about_is_the_focus() -> None:
    tree = tree_of([-1, 0, 1, 0, 3, 0, 5], routines=[0, 1, 2, 1, 2, 1, 2])
    session = Session(Problem(tree, fingerprint=lambda node: int(tree.routine[node])))
    session = session.given(Answer(tree.key(3), Verdict.WRONG, is_for_all=True))
    assert session.space.focus == 3
    assert question(session).node == 4


def test_what_nobody_knows_stays_a_suspect() -> None:
    session = given(Session(Problem(tree_of(STAR))), (1, "right"), (2, "unknown"), (3, "right"))
    found = diagnosis(session)
    assert found.candidates == (0, 2)
    assert not found.is_certain
    assert diagnosis(session.rejected()).candidates == (2,)
    assert session.confirmed(node=2).found[0].candidates == (2,)
    with pytest.raises(UsageError, match="no candidate"):
        session.confirmed(node=1)


def test_what_nobody_knows_can_be_excluded_from_above() -> None:
    session = given(Session(Problem(tree_of(CHAIN))), (4, "unknown"), (3, "right"))
    assert session.space.unknown.tolist() == []


def test_inadmissible_excludes_like_right_and_is_evidence() -> None:
    session = given(Session(Problem(tree_of([-1, 0]))), (1, "inadmissible"))
    found = diagnosis(session)
    assert (found.node, found.evidence, found.is_input) == (0, (1,), False)


def test_an_inadmissible_root_is_the_fault_of_the_input() -> None:
    session = given(Session(Problem(tree_of([-1, 0]))), (0, "inadmissible"))
    assert diagnosis(session).is_input


def test_trusting_a_function_takes_all_its_calls_and_keeps_their_children() -> None:
    tree = tree_of([-1, 0, 1, 0, 3], routines=[0, 1, 2, 1, 2])
    session = given(Session(Problem(tree)), (1, "trust-function"))
    assert session.space.candidates.tolist() == [2, 4]
    session = given(session, (1, "doubt-function"))
    assert session.space.candidates.tolist() == [1, 2, 3, 4]


def test_trusting_a_module_takes_all_its_functions() -> None:
    tree = replace(tree_of(STAR), module=tree_of(STAR).routine % 2)
    session = given(Session(Problem(tree)), (1, "trust-module"))
    assert session.space.candidates.tolist() == [2]


def test_installed_code_is_trusted_until_doubted() -> None:
    session = Session(Problem(tree_of(STAR, trusted=[2])))
    assert session.space.candidates.tolist() == [1, 3]
    assert given(session, (2, "doubt-module")).space.candidates.tolist() == [1, 2, 3]
    assert diagnosis(given(session, (2, "wrong"))).node == 2


def test_what_a_trusted_test_called_is_suspected_before_what_ran_earlier() -> None:
    # The run, a module that is imported, the test, what it calls.
    tree = tree_of([-1, 0, 0, 2, 2], masses=[0, 5, 1, 1, 2], trusted=[2])
    session = given(Session(Problem(tree, path=(2,))), (3, "unknown"), (4, "unknown"))
    assert question(session).node == 1
    assert diagnosis(given(session, (1, "unknown"))).candidates == (4, 3, 1)


def test_nodes_without_code_are_asked_but_never_blamed() -> None:
    tree = tree_of([-1, 0, 1, 1], masses=[1, 0, 1, 1])
    session = given(Session(Problem(tree)), (2, "unknown"), (3, "right"))
    assert question(session).node == 1
    assert diagnosis(given(session, (1, "unknown"))).candidates == (0, 2)


def test_a_run_of_one_call_is_that_call() -> None:
    tree = tree_of([-1, 0, 1, 1], masses=[0, 1, 1, 1])
    session = Session(Problem(tree))
    assert session.space.focus == 1
    session = given(session, (2, "right"), (3, "right"))
    # Nobody said so yet: if it is right there is no bug.
    assert question(session).node == 1
    assert given(session, (1, "right")).pending == NoBug(evidence=(1, 2, 3))
    found = diagnosis(given(session, (1, "wrong")))
    assert found.node == 1
    assert found.is_traceable


def test_a_run_of_several_calls_asks_about_each() -> None:
    tree = tree_of(STAR, masses=[0, 1, 1, 1])
    session = given(Session(Problem(tree)), (1, "right"), (2, "right"))
    assert question(session).node == 3
    assert given(session, (3, "right")).pending == NoBug(evidence=(1, 2, 3))


def test_a_run_of_several_calls_begins_with_the_one_that_shows_the_symptom() -> None:
    tree = tree_of([-1, 0, 1, 0, 3], masses=[0, 1, 1, 1, 1])
    session = Session(Problem(tree, path=(3, 4)))
    assert session.space.focus == 3
    session = given(session, (3, "right"))
    assert (session.space.focus, session.space.is_wrong) == (0, True)
    assert session.space.candidates.tolist() == [1, 2]


def test_skipping_brings_another_question_and_comes_back() -> None:
    session = Session(Problem(tree_of(STAR)), strategy="top-down")
    seen = []
    for _ in range(5):
        seen.append(question(session).node)
        session = given(session, (seen[-1], "skip"))
    assert seen == [1, 2, 3, 1, 2]


def test_the_symptoms_path_is_asked_about_first() -> None:
    tree = tree_of([-1, 0, 1, 1, 0, 4, 5])
    for strategy in ("bisection", "top-down", "single-stepping"):
        session = Session(Problem(tree, path=(0, 4, 5, 6)), strategy=strategy)
        assert question(session).node in (4, 5, 6)
        assert question(session).reason.is_on_path
    session = given(session, (4, "right"))
    assert question(session).node in (1, 2, 3)
    assert not question(session).reason.is_on_path


def test_the_easiest_of_nearly_equal_questions_is_asked() -> None:
    tree = tree_of([-1, 0, 0, 0, 0])
    hard = {1: 50.0, 2: 9.0, 3: 0.0, 4: 9.0}
    assert question(Session(Problem(tree, cost=hard.__getitem__))).node == 3


def test_cost_is_found_out_for_a_few_nodes_only() -> None:
    looked: list[int] = []

    def cost(node: int) -> float:
        looked.append(node)
        return 1.0

    tree = tree_of([-1] + [0] * 500)
    assert question(Session(Problem(tree, cost=cost)))
    assert len(set(looked)) <= 13


def test_the_reason_counts_what_each_answer_excludes() -> None:
    reason = question(Session(Problem(tree_of(CHAIN)))).reason
    assert (reason.suspects, reason.if_right, reason.if_wrong) == (5, 2, 3)
    assert reason.strategy == "bisection"
    assert reason.share == pytest.approx(0.4)


def test_at_most_is_said_only_when_it_is_proven() -> None:
    session = Session(Problem(tree_of(STAR)), strategy="worst-case")
    assert session.most_questions == 3
    assert given(session, (1, "right")).most_questions == 2
    assert session.using("bisection").most_questions is None
    assert given(session, (1, "skip")).most_questions is None


# --- While the run goes on -----------------------------------------------------------------------


def test_only_what_is_done_is_asked_while_the_run_goes_on() -> None:
    tree = tree_of([-1, 0, 1, 1], masses=[0, 1, 1, 1], undone=[0, 1])
    session = Session(Problem(tree))
    assert session.space.candidates.tolist() == [2, 3]
    session = given(session, (2, "right"), (3, "right"))
    assert session.pending == NoBug(is_running=True, evidence=(1, 2))
    assert diagnosis(given(session.undone(), (3, "wrong"))).node == 3


def test_answers_hold_in_another_tree_over_the_same_trace() -> None:
    early = tree_of([-1, 0, 1], masses=[0, 1, 1], undone=[0, 1])
    session = given(Session(Problem(early)), (2, "right"))
    late = tree_of([-1, 0, 1, 1], masses=[0, 1, 1, 1])
    later = session.on(Problem(replace_key(late, 2, early)))
    assert later.space.candidates.tolist() == [2]


def replace_key(tree: FlatTree, node: int, like: FlatTree) -> FlatTree:
    """Let a node be about the same as in another tree."""
    last = tree.last.copy()
    last[node] = like.last[node]
    return replace(tree, last=last)


# --- Changing one's mind -------------------------------------------------------------------------


def test_changing_an_answer_recomputes_what_follows() -> None:
    session = given(Session(Problem(tree_of(CHAIN))), (2, "wrong"), (3, "right"))
    assert diagnosis(session).node == 2
    changed = session.changed(1, Answer(session.problem.tree.key(2), Verdict.RIGHT))
    assert changed.space.focus == 0
    assert question(changed).node == 1
    cleared = session.changed(1, None)
    assert [each.number for each in cleared.answers] == [2]
    assert diagnosis(cleared.undone()) == diagnosis(session)


def test_an_answer_that_is_not_there_cant_be_changed() -> None:
    with pytest.raises(UsageError, match="There is no answer 1"):
        Session(Problem(tree_of(STAR))).changed(1, None)


def test_undo_and_redo_have_an_end() -> None:
    session = Session(Problem(tree_of(STAR)))
    with pytest.raises(UsageError, match="nothing to undo"):
        session.undone()
    with pytest.raises(UsageError, match="nothing to redo"):
        session.redone()
    session = given(session, (1, "right"))
    again = session.undone().redone()
    assert again.entries == session.entries
    with pytest.raises(UsageError, match="nothing to redo"):
        given(session.undone(), (2, "right")).redone()


def test_undo_takes_back_what_oracles_said_after() -> None:
    class Knowing:
        name = "knowing"

        def answer(self, question: Question) -> Answer | None:
            return (
                Answer(question.about, Verdict.RIGHT, by=self.name) if question.node > 1 else None
            )

    session = Session(Problem(tree_of(STAR)), strategy="top-down", oracles=(Knowing(),))
    session = given(session, (1, "right")).settled()
    assert [each.answer.by for each in session.answers] == ["user", "knowing", "knowing"]
    assert diagnosis(session).node == 0
    assert session.undone().entries == ()


def test_a_strategy_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no strategy 'luck'. There are: bisection, "):
        Session(Problem(tree_of(STAR))).using("luck")


def test_an_answer_about_nothing_is_refused() -> None:
    session = Session(Problem(tree_of(STAR)))
    with pytest.raises(UsageError, match="not in this trace"):
        session.given(Answer(session.problem.tree.key(1)._replace(call=77), Verdict.RIGHT))


# --- Equal questions -----------------------------------------------------------------------------


def alike(node: int) -> int:
    return node % 2


def test_equal_questions_are_asked_once() -> None:
    tree = tree_of([-1, 0, 0, 0, 0], routines=[0, 1, 0, 1, 0])
    session = Session(Problem(tree, fingerprint=alike), strategy="top-down")
    session = given(session, (1, "right"))
    assert question(session).node == 2
    session = given(session, (2, "right"))
    assert len(session.answers) == 2
    assert session.answers[0].also == (tree.key(3),)
    assert diagnosis(session).evidence == (1, 2)
    assert set(session.space.judged.verdicts) == {1, 2, 3, 4}
    assert len(session.undone().answers) == 1


def test_equal_questions_of_many_kinds_are_asked_once() -> None:
    tree = tree_of([-1] + [0] * 40, routines=[99] + [*range(20)] * 2)
    session = Session(Problem(tree, fingerprint=lambda node: node % 20), strategy="top-down")
    for node in range(1, 21):
        assert question(session).node == node
        session = given(session, (node, "right"))
    assert diagnosis(session).node == 0


def test_an_equal_question_about_the_start_is_not_asked() -> None:
    tree = tree_of([-1, 0, 1], masses=[0, 1, 1], routines=[0, 1, 1])
    session = Session(Problem(tree, fingerprint=lambda _: "same"))
    assert given(session, (2, "right")).pending == NoBug(evidence=(1,))


def test_a_thousand_equal_questions_are_asked_once() -> None:
    tree = tree_of([-1] + [0] * 2000, routines=[0] + [1] * 2000)
    session = Session(Problem(tree, fingerprint=lambda _: "same"), strategy="top-down")
    session = given(session, (1, "right"))
    assert diagnosis(session).node == 0
    assert len(session.entries) < 10


def test_an_answer_to_an_equal_question_follows_the_first_one() -> None:
    tree = tree_of([-1, 0, 0, 0], routines=[0, 1, 0, 1])
    session = Session(Problem(tree, fingerprint=alike), strategy="top-down")
    session = given(session, (1, "right"), (2, "right"))
    assert set(session.space.judged.verdicts) == {1, 2, 3}
    changed = session.changed(1, Answer(tree.key(1), Verdict.UNKNOWN))
    assert diagnosis(changed).candidates == (0, 1, 3)
    assert question(session.changed(1, None)).node == 1


def test_an_answer_can_be_for_all_equal_questions_at_once() -> None:
    tree = tree_of([-1, 0, 0, 0, 0], routines=[0, 1, 1, 1, 1])
    session = Session(Problem(tree, fingerprint=alike))
    session = session.given(Answer(tree.key(1), Verdict.RIGHT, is_for_all=True))
    assert len(session.answers) == 1
    assert session.space.candidates.tolist() == [2, 4]
    assert session.undone().entries == ()


# --- Contradictions ------------------------------------------------------------------------------


def test_judging_a_node_in_two_ways_is_a_contradiction() -> None:
    session = given(Session(Problem(tree_of(CHAIN))), (2, "right"), (2, "wrong"))
    found = contradiction(session)
    assert (found.clash, found.answers, found.node) == (Clash.SAME, (1, 2), 2)
    assert question(session.changed(1, None)).node > 2


def test_knowing_better_than_dont_know_is_none() -> None:
    session = given(Session(Problem(tree_of(CHAIN))), (2, "unknown"), (2, "wrong"))
    assert session.space.focus == 2


def test_judging_equal_questions_in_two_ways_is_a_contradiction() -> None:
    session = Session(Problem(tree_of([-1, 0, 0, 0]), fingerprint=alike))
    found = contradiction(given(session, (1, "right"), (3, "wrong")))
    assert (found.clash, found.answers) == (Clash.EQUAL, (1, 2))


def test_a_wrong_call_of_a_trusted_function_is_a_contradiction() -> None:
    session = given(Session(Problem(tree_of(CHAIN))), (2, "trust-function"), (2, "wrong"))
    found = contradiction(session)
    assert (found.clash, found.answers) == (Clash.TRUST, (1, 2))


def test_tv11_nothing_left_is_an_inconsistent_answer_set() -> None:
    tree = tree_of([-1, 0, 1, 0], masses=[0, 1, 1, 1])
    session = Session(Problem(tree, is_assumed=False))
    blamed = given(session, (0, "wrong"), (1, "wrong"), (2, "right"))
    assert diagnosis(blamed).node == 1
    found = contradiction(given(session, (0, "wrong"), (1, "right"), (3, "right")))
    assert (found.clash, found.answers) == (Clash.NOTHING_LEFT, (1, 2, 3))


# --- After the diagnosis -------------------------------------------------------------------------


def test_a_diagnosis_is_traceable_if_all_between_was_judged_wrong() -> None:
    session = given(Session(Problem(tree_of(CHAIN))), (3, "wrong"), (4, "right"))
    assert diagnosis(session).between == (1, 2)
    session = given(session, (1, "wrong"), (2, "wrong"))
    assert diagnosis(session).is_traceable
    assert diagnosis(session).evidence == (1, 2, 3, 4)


def test_a_diagnosis_is_certain_only_if_it_is_traceable() -> None:
    session = given(Session(Problem(tree_of(CHAIN))), (3, "wrong"), (4, "right"))
    assert diagnosis(session).is_only_one
    assert not diagnosis(session).is_certain
    session = given(session, (1, "wrong"), (2, "wrong"))
    assert diagnosis(session).is_certain


def test_after_a_rejection_the_weakest_answers_are_asked_again() -> None:
    tree = tree_of(CHAIN)
    session = Session(Problem(tree))
    session = session.given(Answer(tree.key(2), Verdict.WRONG))
    session = session.given(Answer(tree.key(3), Verdict.RIGHT, by="memory", confidence=0.8))
    assert diagnosis(session).node == 2
    session = session.rejected()
    assert question(session).again == 2
    better = given(session, (3, "wrong"))
    assert question(better).node == 4
    stubborn = given(session, (3, "right"))
    assert question(stubborn).again == 1
    found = contradiction(given(stubborn, (2, "wrong")))
    assert (found.clash, found.node, found.answers) == (Clash.REJECTED, 2, (1, 2))


def test_after_a_confirmed_bug_another_can_be_looked_for() -> None:
    tree = tree_of([-1, 0, 1, 0, 3])
    session = given(Session(Problem(tree)), (1, "wrong"), (2, "right"))
    assert diagnosis(session).node == 1
    session = session.confirmed()
    assert session.found[0].node == 1
    assert session.found[0].is_confirmed
    assert session.space.candidates.tolist() == [3, 4]
    assert diagnosis(given(session, (4, "wrong"))).node == 4
    none = given(session, (3, "right")).pending
    assert none == NoBug(confirmed=1, unjudged=1, evidence=(1, 2, 3))


def test_judging_the_root_right_means_that_there_is_no_bug() -> None:
    session = given(Session(Problem(tree_of(STAR))), (0, "right"))
    assert session.pending == NoBug(evidence=(1,))


def test_there_must_be_a_diagnosis_to_rule_on() -> None:
    with pytest.raises(UsageError, match="no diagnosis"):
        Session(Problem(tree_of(STAR))).confirmed()


def test_a_question_about_any_node_can_be_had() -> None:
    tree = tree_of(CHAIN)
    session = Session(Problem(tree))
    assert session.question(1).node == 1
    assert session.given(judged(tree, 4, 1)).space.focus == 1
