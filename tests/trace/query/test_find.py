"""Queries on recorded runs: the examples of docs/reference/queries.md, and cases around them."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth.trace.query import moments
from sleuth.trace.query.hits import (
    Count,
    Found,
    FoundCall,
    FoundMoment,
    FoundOutput,
    FoundThread,
    FoundWrite,
)
from sleuth.trace.query.mistakes import QueryError
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom
from tests.recorded import recorded

pytestmark = pytest.mark.two_versions
PAGE = (Path(__file__).parents[3] / "docs/reference/queries.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^\| `(.+?)` \|.*\| (\d+) \|$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    source = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert source
    return recorded(tmp_path_factory.mktemp("orders"), source[1], name="shop.py")


def calls(found: Found) -> list[int]:
    return [hit.call.id for hit in found if isinstance(hit, FoundCall)]


@pytest.mark.parametrize(("query", "hits"), EXAMPLES, ids=[each[0] for each in EXAMPLES])
def test_the_examples_of_the_page(trace: Trace, query: str, hits: str) -> None:
    found = trace.find(query)
    assert len(list(found)) == int(hits)
    assert not found.undecided


def test_the_page_has_many_examples() -> None:
    assert len(EXAMPLES) > 30


OPERANDS = [
    *("self", "self.total", "self.items", "order.items[0]", "end:self.total", "len(self.items)"),
    *("return", "return.x", "raised[0]", "global:__main__.order", "percent", "code", "total"),
    *("value", "old", "text", "stream", "3", "-1.5", "'tea'", "None", "(1, 'tea')", "len(name)"),
]
QUERIES = st.builds(
    " ".join,
    st.tuples(
        st.sampled_from(["", "first", "last 2", "count"]),
        st.sampled_from(
            [
                *("calls", "calls of *", "calls of apply", "moments", "output", "threads"),
                *("writes to order.total", "writes to *.total", "writes to self.items[0] in add"),
            ]
        ),
        st.sampled_from(["", "in checkout", "in Order.*", "in thread 1", "before 30", "at 20"]),
        st.builds(
            "{} {} {} {} {}".format,
            st.sampled_from(["where", "where not", "where raised and", "where raised *Error or"]),
            st.sampled_from(OPERANDS),
            st.sampled_from(["==", "!=", "<", ">=", "in", "not in", "is", "is not", "and", "or"]),
            st.sampled_from(OPERANDS),
            st.sampled_from(["", "after 5", "and self", "or total > 3"]),
        ),
    ),
)


@given(QUERIES)
def test_any_query_finds_something_or_nothing_or_is_a_mistake(trace: Trace, query: str) -> None:
    column = None
    try:
        list(trace.find(query))
    except QueryError as error:
        column = error.column
    assert column is None or 1 <= column <= len(query) + 1


def test_first_and_last_are_the_ends_of_all(trace: Trace) -> None:
    every = calls(trace.find("calls of Order.*"))
    assert calls(trace.find("first 2 calls of Order.*")) == every[:2]
    assert calls(trace.find("last 2 calls of Order.*")) == every[-2:]
    assert list(trace.find("count calls of Order.*")) == [Count(len(every))]
    writes = [
        hit.write for hit in trace.find("writes to order.total") if isinstance(hit, FoundWrite)
    ]
    (last,) = trace.find("last write to order.total")
    assert isinstance(last, FoundWrite)
    assert last.write == writes[-1]


def test_writes_are_those_of_the_history(trace: Trace) -> None:
    found = [
        hit.write for hit in trace.find("writes to order.total") if isinstance(hit, FoundWrite)
    ]
    assert found == list(trace.history("order.total"))
    of_class = [
        hit.write for hit in trace.find("writes to Order.total") if isinstance(hit, FoundWrite)
    ]
    assert of_class == found


def test_a_moment_is_that_of_the_event_that_made_it_true(trace: Trace) -> None:
    (hit,) = trace.find("first moment where order.total < 0 in checkout")
    assert isinstance(hit, FoundMoment)
    (write,) = trace.find("first write to order.total where value < 0")
    assert isinstance(write, FoundWrite)
    assert (hit.moment, hit.by.id, hit.line) == (write.write.moment, write.write.call, 14)
    assert hit.values == (("order.total", Atom(-11.0)),)


def test_a_condition_that_stays_true_is_found_once(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "def f():\n    for i in (1, 5, 6, 2, 7):\n        x = i\nf()\n")
    found = [hit for hit in trace.find("moments where x > 4") if isinstance(hit, FoundMoment)]
    assert [hit.values for hit in found] == [(("x", Atom(5)),), (("x", Atom(7)),)]


def test_a_list_that_changes_is_watched(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "def f(xs):\n    while xs:\n        xs.pop()\nf([3, 5])\n")
    for query in (
        "moments where len(xs) == 0",
        "moments where not xs",
        "moments where 3 not in xs",
    ):
        assert len(list(trace.find(query))) == 1, query
    assert len(list(trace.find("moments where 5 in xs"))) == 1


def test_variables_of_many_calls_are_those_at_their_ends(tmp_path: Path) -> None:
    source = """
        def f(n):
            half = n // 2
            if n % 3 == 0:
                half = -1
            return n
        for n in range(300):
            f(n)
        """
    trace = recorded(tmp_path, source)
    assert len(calls(trace.find("calls of f where half == -1"))) == 100
    assert len(calls(trace.find("calls of f where half == -1 and n > 149"))) == 50
    one_by_one = [
        call
        for call in calls(trace.find("calls of f"))
        if trace.pointed("half", call=trace.call(call)).value == Atom(7)
    ]
    assert calls(trace.find("calls of f where half == 7")) == one_by_one


@pytest.mark.parametrize(
    "query",
    [
        *("moments where total > 5", "moments where code != 300", "moments where percent < 1"),
        *("moments where problem is not None", "moments where price >= 2 and name != 'tea'"),
    ],
)
def test_variables_that_are_followed_and_watched_agree(
    trace: Trace, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed = list(trace.find(query))
    monkeypatch.setattr(moments, "looks_inside", lambda _: True)
    assert list(trace.find(query)) == followed
    assert followed


def test_a_variable_hides_a_global_of_its_name_before_it_is_set(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "x = 9\ndef f():\n    y = [1]\n    x = 2\n    y.pop()\nf()\n")
    assert list(trace.find("moments where x == 9 and len(y) == 1 in f")) == []
    assert len(list(trace.find("moments where x == 2 and len(y) == 1 in f"))) == 1


def test_what_is_not_recorded_is_neither_true_nor_false(tmp_path: Path) -> None:
    source = """
        def f(password, text):
            return text
        f("abc", "x" * 100_000)
        f("abc", "y")
        """
    trace = recorded(tmp_path, source)
    found = trace.find("calls of f where password == 'abc'")
    assert calls(found) == []
    assert sum(found.undecided.values()) == 2
    found = trace.find("calls of f where not password == 'abc'")
    assert (calls(found), sum(found.undecided.values())) == ([], 2)
    assert len(calls(trace.find("calls of f where password == 'abc' or text == 'y'"))) == 1
    assert len(calls(trace.find("calls of f where len(text) > 5"))) == 1


def test_a_path_that_is_never_there_is_told(trace: Trace) -> None:
    found = trace.find("calls of apply where self.totla < 0")
    assert list(found) == []
    assert found.undecided == {"an object did not have the attribute itself, but its class may": 3}
    assert "Did you mean total?" in found.remarks[0]


def test_objects_are_not_compared_by_code(trace: Trace) -> None:
    found = trace.find("calls of apply where self == 3")
    assert list(found) == []
    assert "code of their class" in next(iter(found.undecided))


@pytest.mark.parametrize(
    ("query", "column", "words"),
    [
        ("calls of aply", 10, "Did you mean apply?"),
        ("calls of apply in chekout", 19, "Did you mean checkout?"),
        ("calls of apply where percnt > 3", 22, "Did you mean percent?"),
        ("moments where nothing_such > 3", 15, "no variable nothing_such"),
        ("writes to total", 11, "in checkout"),
        ("writes to order.totl", 11, "Did you mean total?"),
        ("writes to order.total where vlue > 3", 29, "value and old"),
        ("output where txt == 'a'", 14, "text and stream"),
        ("threads at 99999", 9, "they go from 0 to"),
        ("calls in thread 77", 17, "There is 1"),
    ],
)
def test_unknown_names_point_at_the_nearest(
    trace: Trace, query: str, column: int, words: str
) -> None:
    with pytest.raises(QueryError) as caught:
        list(trace.find(query))
    assert words in caught.value.sentence
    assert caught.value.column == column


def test_threads_and_tasks_at_a_moment(tmp_path: Path) -> None:
    source = """
        import asyncio, threading
        ready, done = threading.Event(), threading.Event()
        def work(name):
            ready.set()
            done.wait()
        def meanwhile():
            return 1
        thread = threading.Thread(target=work, args=("a",), name="Worker-a")
        thread.start()
        ready.wait()
        meanwhile()
        done.set()
        thread.join()
        async def child(n):
            await asyncio.sleep(0.01)
        async def main():
            await asyncio.gather(child(1), child(2))
            meanwhile()
        asyncio.run(main())
        """
    trace = recorded(tmp_path, source)
    first, second = [trace.call(each) for each in calls(trace.find("calls of meanwhile"))]

    def names(at: int) -> list[str]:
        hits = [hit for hit in trace.find(f"threads at {at}") if isinstance(hit, FoundThread)]
        functions = [trace.function(hit.call.function) for hit in hits]
        return [each.name for each in functions if each]

    assert names(first.first) == ["meanwhile", "work"]
    assert "meanwhile" in names(second.first)


def test_output_has_its_moment(trace: Trace) -> None:
    (hit,) = trace.find("output where text == 'refused 300'")
    assert isinstance(hit, FoundOutput)
    assert (hit.printed.stream, hit.printed.line) == (1, 0)
    assert list(trace.find("output in checkout")) == [hit]


def test_variables_shared_with_closures_are_watched(tmp_path: Path) -> None:
    source = """
        def outer():
            total = 0
            def add(n):
                nonlocal total
                total += n
            for n in (2, 5, -9):
                add(n)
            return total
        outer()
        """
    trace = recorded(tmp_path, source)
    (hit,) = trace.find("moments where total < 0 in outer")
    assert isinstance(hit, FoundMoment)
    assert hit.values == (("total", Atom(-2)),)


def test_a_run_without_calls_finds_nothing(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "")
    assert list(trace.find("calls where raised")) == []
    assert list(trace.find("threads")) is not None
