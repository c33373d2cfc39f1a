"""Paths as they are shown and typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth.trace.heap.keys import position_of, shown_key
from sleuth.trace.path import GLOBAL, Path, PathError, Step, key_text, literal, parse, text_of
from sleuth.trace.values import Atom, Constant, Cut, NotKept, Ref, Shape, Value

TEXTS = st.text(st.one_of(st.characters(), st.sampled_from(".[]'\"\\\x1b \n()<>")), max_size=12)
NAMES = TEXTS.filter(bool)
VALUES: st.SearchStrategy[Value] = st.one_of(
    st.one_of(st.integers(), st.floats(), TEXTS, st.binary(max_size=9), st.text(min_size=70)).map(
        Atom
    ),
    st.sampled_from([Constant("None"), Ref("shop.Cart", 8), NotKept("hidden"), Ref("a<b>.C", 7)]),
    st.builds(Cut, st.just("text"), st.integers(70, 99), st.just(5), st.text(min_size=3)),
)


def no_shape(_ref: Ref, _at: int) -> Shape | None:
    return None


STEPS = st.one_of(
    NAMES.map(lambda name: Step("attribute", name)),
    st.integers(-99, 10**6).map(lambda index: Step("item", str(index))),
    VALUES.map(lambda key: Step("item", shown_key(key, no_shape, 0))),
)
PATHS = st.builds(
    Path,
    NAMES.filter(lambda name: not name.startswith((GLOBAL, "len("))),
    st.lists(STEPS, max_size=5).map(tuple),
    st.booleans(),
)


@given(PATHS)
def test_a_path_that_is_shown_can_be_typed(path: Path) -> None:
    assert parse(str(path)) == path
    assert str(path).isprintable()


@given(PATHS)
def test_a_change_of_length_names_the_path(path: Path) -> None:
    assert parse(f"len({path})") == path


@given(TEXTS)
def test_a_quoted_text_is_read_back(text: str) -> None:
    assert text_of(key_text(text)) == text
    assert literal(key_text(text)) == Atom(text)


@given(TEXTS)
def test_any_text_is_a_path_or_an_error_that_can_be_printed(text: str) -> None:
    problem = ""
    try:
        path = parse(text)
    except PathError as error:
        problem = str(error)
    else:
        assert parse(str(path)) == path
    assert problem.isprintable()


@given(st.lists(VALUES, min_size=1, max_size=6, unique_by=lambda key: shown_key(key, no_shape, 0)))
def test_a_key_is_found_by_what_is_shown_of_it(keys: list[Value]) -> None:
    for position, key in enumerate(keys):
        found = position_of(shown_key(key, no_shape, 0), keys, no_shape, 0)
        assert found is not None
        assert shown_key(keys[found], no_shape, 0).split() == shown_key(key, no_shape, 0).split()
        assert found <= position


def attribute(name: str) -> Step:
    return Step("attribute", name)


def item(key: str) -> Step:
    return Step("item", key)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("total", Path("total")),
        ("self.lines[2].price", Path("self", (attribute("lines"), item("2"), attribute("price")))),
        ("prices['tea']", Path("prices", (item("'tea'"),))),
        ('prices["tea"]', Path("prices", (item('"tea"'),))),
        ("return", Path("return")),
        ("stdout[2]", Path("stdout", (item("2"),))),
        ("global:shop.x.RATE", Path("shop", (attribute("x"), attribute("RATE")), is_global=True)),
        (" grid[1, 2] ", Path("grid", (item("1, 2"),))),
        ("x[(1, [2])]", Path("x", (item("(1, [2])"),))),
    ],
)
def test_what_a_user_types_is_understood(text: str, expected: Path) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "A path is missing"),
        ("[2]", "a path begins with a name"),
        ("a.", "a name must follow the dot after a."),
        ("a..b", "a name must follow the dot"),
        ("a[", "the [ is not closed after a"),
        ("a[]", "a number or a key is missing"),
        ("a['x]", "the ' is not closed"),
        ("a['\\x1']", "\\x needs 2 digits in base 16"),
        ("a[1]b", "a . or [ must follow after a[1]"),
        ("a b", "a path begins with a name"),
    ],
)
def test_what_is_wrong_with_a_path_is_said(text: str, words: str) -> None:
    with pytest.raises(PathError) as caught:
        parse(text)
    assert words in str(caught.value)
