"""Floats of two runs are alike if only noise differs; alike is an equivalence."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sleuth.tree.identity.values import NOISE, Noise

pytestmark = pytest.mark.any_version

FLOATS = st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False)


def alike(one: float, other: float) -> bool:
    noise = Noise()
    return noise.representative(one) == noise.representative(other)


@given(FLOATS)
def test_a_float_is_like_itself(number: float) -> None:
    assert alike(number, number)


@given(FLOATS, FLOATS)
def test_whichever_comes_first_is_no_matter(one: float, other: float) -> None:
    assert alike(one, other) == alike(other, one)


@given(FLOATS, st.floats(-1, 1))
def test_noise_makes_no_difference_on_whichever_side_of_a_boundary(
    number: float, part: float
) -> None:
    assert alike(number, number * (1 + part * NOISE / 2))


@given(FLOATS, st.floats(2.1, 1e6))
def test_more_than_noise_is_a_difference(number: float, times: float) -> None:
    other = number * (1 + times * NOISE)
    assume(number != 0 and math.isfinite(other))
    assert not alike(number, other)


@given(st.lists(st.integers(0, 50)))
def test_floats_that_are_close_in_a_chain_do_not_all_become_one(steps: list[int]) -> None:
    noise = Noise()
    for step in steps:
        number = 1_763_450_000.0 + step / 1000
        assert math.isclose(noise.representative(number), number, rel_tol=NOISE)


def test_rounding_would_tell_these_apart_though_only_the_last_bit_differs() -> None:
    number = 0.1234567890125
    other = math.nextafter(number, 1)
    assert f"{number:.12g}" != f"{other:.12g}"
    assert alike(number, other)


def test_signs_zero_nan_and_infinity_are_kept() -> None:
    assert not alike(1.0, -1.0)
    assert not alike(math.inf, -math.inf)
    assert math.isnan(Noise().representative(math.nan))
    assert str(Noise().representative(-0.0)) == "-0.0"
