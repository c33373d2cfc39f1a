"""Gates name the shapes that cost too much."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))
from bench.questions.gates import missed, missed_loops, part_of_plain
from bench.questions.measure import Figures


def figures(
    shape: str,
    mean: float,
    *,
    program: str = "program",
    strategy: str = "bisection",
    lost: str = "",
) -> Figures:
    return Figures(program, strategy, shape, mean, 9, 1.0, 20, 0, 0.1, lost)


def test_a_shape_may_cost_one_question_more() -> None:
    plain = figures("plain", 5.0)
    assert not list(missed([plain, figures("loops", 6.0)]))
    assert len(list(missed([plain, figures("loops", 6.1)]))) == 1


def test_only_the_strategy_counts_that_a_shape_is_meant_for() -> None:
    plain = figures("plain", 5.0, strategy="top-down")
    assert not list(missed([plain, figures("loops", 9.0, strategy="top-down")]))


def test_all_is_compared_with_plain_top_down() -> None:
    plain = figures("plain", 20.0, strategy="top-down")
    assert not list(missed([plain, figures("all", 8.0)]))
    assert len(list(missed([plain, figures("all", 8.1)]))) == 1
    assert part_of_plain([plain], "all") is None


def test_a_part_of_plain_is_that_of_the_sums_and_the_mean_of_the_parts() -> None:
    part = part_of_plain(
        [
            figures("plain", 20.0, strategy="top-down"),
            figures("all", 10.0),
            figures("plain", 80.0, strategy="top-down", program="large"),
            figures("all", 20.0, program="large"),
        ],
        "all",
    )
    assert part is not None
    assert part.of_sums == pytest.approx(0.3)
    assert part.mean == pytest.approx(0.375)


def test_a_bug_that_is_not_found_is_missed() -> None:
    assert len(list(missed([figures("loops", 0.0, lost="no bug")]))) == 1


def test_a_loop_of_leaf_calls_is_halved() -> None:
    assert not list(missed_loops([(63, "all", 6.8, 6.0)]))
    assert len(list(missed_loops([(63, "all", 7.0, 6.0)]))) == 1
