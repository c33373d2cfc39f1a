"""Queries are parsed, or refused with the column of the mistake."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth.trace.path import Path
from sleuth.trace.query.mistakes import QueryError
from sleuth.trace.query.parse import parsed
from sleuth.trace.query.syntax import All, Comparison, Literal, Named, Not, Raised, Several
from sleuth.trace.values import Atom, Constant

pytestmark = pytest.mark.any_version
WORDS = [
    *("first", "last", "count", "calls", "of", "writes", "to", "moments", "threads", "output"),
    *("where", "in", "at", "before", "after", "thread", "task", "and", "or", "not", "raised"),
    *("x", "self.a[0]", "len(", ")", "(", "[", "]", ",", "==", "<", "=", "is", "'t'", '"', "3"),
    *("-1.5", "1e", "None", "True", "end:", "global:", "*", "?", ".", "\\", "\x00", "é", "漢"),
]


def test_the_parts_of_a_query() -> None:
    query = parsed("first 3 calls of Cart.* where x > 3 and raised ValueError in pay before 90")
    assert (query.what, query.which, query.number, query.before) == ("calls", "first", 3, 90)
    assert query.of is not None
    assert (query.of.text, query.of.at) == ("Cart.*", 17)
    assert [each.text for each in query.inside] == ["pay"]
    assert query.where == All(
        (
            Comparison(Named(Path("x"), 30), ">", Literal(Atom(3))),
            Raised("ValueError", 47),
        )
    )


def test_operands_and_signs() -> None:
    found = parsed("calls where end:a.b not in (1, 'x', None)").where
    assert isinstance(found, Comparison)
    assert (str(found.left), found.sign) == ("end:a.b", "not in")
    assert found.right == Several((Literal(Atom(1)), Literal(Atom("x")), Literal(Constant("None"))))
    assert parsed("calls where not raised").where == Not(Raised("", 16))
    chain = parsed("calls where 0 < x <= 2.5").where
    assert isinstance(chain, All)
    assert len(chain.parts) == 2


def test_in_behind_a_comparison_names_a_function() -> None:
    query = parsed("first moment where total < 0 in checkout")
    assert [each.text for each in query.inside] == ["checkout"]


@pytest.mark.parametrize(
    ("query", "column", "words"),
    [
        ("", 1, "begins with calls, writes"),
        ("cals of f", 1, "Did you mean calls?"),
        ("calls wher x", 7, "Did you mean where?"),
        ("calls of", 9, "the name of a function"),
        ("calls where", 12, "Here must stand a path"),
        ("calls where x >", 16, "Here must stand a path"),
        ("calls where x = 3", 15, "two signs: =="),
        ("calls where (x > 3", 19, "( is not closed"),
        ("calls where x > 3)", 18, "Here may stand where"),
        ("calls where x[0 > 3", 14, "[ is not closed"),
        ("calls where x == 'a", 18, "' is not closed"),
        ("calls where x == 3x", 18, "not a number"),
        ("calls where raised == ValueError", 20, "raised ValueError"),
        ("calls where x > 3 where y", 19, "only one where"),
        ("calls at noon", 10, "a moment"),
        ("writes order.total", 8, "Here must stand to"),
        ("moments in f", 13, "A condition is missing"),
        ("threads where x", 9, "only at may stand"),
        ("moments where x > 3 and raised", 25, "only for calls"),
        ("moments where return > 3", 15, "only for calls"),
        ("output where end:text == 'a'", 14, "only for calls"),
        ("calls where x in (y, 3)", 19, "In a list only"),
    ],
)
def test_a_mistake_points_at_its_column(query: str, column: int, words: str) -> None:
    with pytest.raises(QueryError) as caught:
        parsed(query)
    assert words in caught.value.sentence
    assert caught.value.column == column
    shown, caret = str(caught.value).split("\n")[1:]
    assert shown.strip() == query.strip()
    assert caret.index("^") == column + 1


def test_a_long_query_is_shown_around_the_mistake() -> None:
    with pytest.raises(QueryError) as caught:
        parsed("calls where " + "x == 1 and " * 30 + "= 3")
    assert all(len(line) <= 80 for line in str(caught.value).split("\n")[1:])


@given(st.one_of(st.text(), st.lists(st.sampled_from(WORDS)).map(" ".join)))
def test_any_text_is_a_query_or_a_mistake_in_it(text: str) -> None:
    mistake = None
    try:
        parsed(text)
    except QueryError as error:
        mistake = error
    if mistake is not None:
        assert 1 <= mistake.column <= len(text) + 1
        assert mistake.sentence


def test_nesting_has_a_limit() -> None:
    with pytest.raises(QueryError, match="too many parentheses"):
        parsed("calls where " + "(" * 10_000)
    with pytest.raises(QueryError, match="too many"):
        parsed("calls where " + "not " * 10_000)
