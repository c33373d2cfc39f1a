"""Where the items of arrays and tables stand, and what their facts are called."""

from math import prod

from hypothesis import given
from hypothesis import strategies as st

from sleuth.trace.heap.arrays import Layout, fact, layout, named_facts, refreshed
from sleuth.trace.values import Atom, NotKept, Part, Shape, Value


@given(st.lists(st.integers(1, 4), max_size=4), st.data())
def test_a_place_and_its_key_mean_each_other(lengths: list[int], data: st.DataObject) -> None:
    places = Layout(tuple(lengths), None)
    number = data.draw(st.integers(0, prod(lengths) - 1))
    key = places.key(number)
    assert key is not None
    assert places.position(key) == number


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4, unique=True), st.integers(0, 20))
def test_so_do_rows_and_columns(names: list[str], number: int) -> None:
    facts = [(Atom("shape"), Atom(f"(9, {len(names)})"))]
    facts += [(Atom(f"column {at}"), Atom(name)) for at, name in enumerate(names)]
    summary = _summary(facts)
    places = layout(Shape("DataFrame", (Part("sequence", (), 9 * len(names)), summary)))
    assert places is not None
    key = places.key(number)
    assert key is not None
    assert places.position(key) == number


def test_keys_that_are_no_places_have_no_position() -> None:
    places = Layout((2, 3), None)
    for key in ("0", "2, 0", "0, 3", "0, 0, 0", "x, 0", "", "'a', 0"):
        assert places.position(key) is None
    assert places.position("-1, -1") == 5
    assert Layout((2,), ("'a'",)).position("0, 'b'") is None
    assert Layout((2,), ("'a'",)).position('1, "a"') == 1


def test_facts_of_columns_have_their_names() -> None:
    keys = [Atom("shape"), Atom("column 0"), Atom("least 0"), Atom("column 1"), Atom("least 1")]
    values: list[Value] = [Atom("(2, 2)"), Atom("a"), Atom(1), Atom("b"), Atom(2)]
    names = [getattr(key, "content", "") for key in named_facts(keys, values)]
    assert names == ["shape", "column 0", "least of a", "column 1", "least of b"]
    values[3] = Atom("a")
    names = [getattr(key, "content", "") for key in named_facts(keys, values)]
    assert names[2::2] == ["least of column 0", "least of column 1"]
    values[3] = NotKept("hidden")
    names = [getattr(key, "content", "") for key in named_facts(keys, values)]
    assert names[2::2] == ["least of a", "least of column 1"]


def test_facts_that_follow_from_items_are_made_anew() -> None:
    old = _summary(
        [(Atom("shape"), Atom("(3,)")), (Atom("least"), Atom(9)), (Atom("hash"), Atom(1))]
    )
    items = Part("sequence", (Atom(2.0), Atom(float("nan")), Atom(-1.0)), 3)
    _, summary = refreshed((items, old))
    told = [fact(summary, name) for name in ("shape", "least", "greatest", "nan", "hash")]
    assert told == [Atom("(3,)"), Atom(-1.0), Atom(2.0), Atom(1), None]


def test_a_shape_that_can_not_be_read_is_none() -> None:
    for text in ("", "3", "(x)", "(-1,)", "(1, 99999999999999999999)"):
        assert layout(Shape("ndarray", (_summary([(Atom("shape"), Atom(text))]),))) is None
    assert layout(Shape("list", (Part("sequence", (), 0),))) is None


def _summary(facts: list[tuple[Atom, Atom]]) -> Part:
    keys, values = tuple(key for key, _ in facts), tuple(value for _, value in facts)
    return Part("summary", values, len(facts), keys)
