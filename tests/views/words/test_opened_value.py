"""Values opened page by page, and code with its marks."""

import re
from pathlib import Path

import pytest

from sleuth.trace.path import PathError
from sleuth.trace.reader import Trace
from sleuth.tree.observe.calls import behaviour_of
from sleuth.views.drawing.styled import Role, plain
from sleuth.views.words.opened_value import opened_lines
from sleuth.views.words.question import question_lines
from sleuth.views.words.source import code_lines
from tests.recorded import call_of, recorded


def opened(trace: Trace, name: str, path: str) -> list[str]:
    return list(
        plain(opened_lines(trace, behaviour_of(trace, call_of(trace, name)), path, width=80))
    )


def test_a_long_list_is_opened_page_by_page(shop: Trace) -> None:
    first = opened(shop, "big", "orders")
    assert first[0].endswith(", 400 items  (after the call)")
    assert first[1] == "  orders[0] = {'status': 'new', 'n': 0}"
    assert first[-1] == "  ... 380 more, `o orders 2` opens them"
    last = opened(shop, "big", "orders 20")
    assert last[-1] == "  orders[399] = {'status': 'new', 'n': 399}"
    with pytest.raises(PathError, match="orders has 20 pages, not 21"):
        opened(shop, "big", "orders 21")


def test_what_changed_inside_is_marked(shop: Trace) -> None:
    lines = opened(shop, "big", "orders[17]")
    assert lines[1:] == [
        "  orders[17]['status'] = 'held'  (was 'new')",
        "  orders[17]['n'] = 17",
    ]


def test_what_was_there_before_stands_beside_a_single_value(shop: Trace) -> None:
    lines = opened(shop, "big", "orders[17]['status']")
    assert lines == ["orders[17]['status'] = 4 characters  (was 'new')", "  'held'"]


def test_what_is_gone_can_still_be_opened(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        def drop(xs):
            del xs[1]
        drop([[1], [2, 3]])
        """,
    )
    lines = opened(trace, "drop", "xs[1]")
    assert lines[0].endswith(", 2 items  (before the call; it is gone now)")
    assert lines[1:] == ["  xs[1][0] = 2", "  xs[1][1] = 3"]
    with pytest.raises(PathError, match="There is no"):
        opened(trace, "drop", "xs[2]")


def test_a_long_text_is_shown_in_pieces(shop: Trace) -> None:
    lines = opened(shop, "login", "stdout[0]")
    assert lines[0] == "stdout[0] = 105 characters"
    assert "".join(part.strip().strip("'") for part in lines[1:]) == "x" * 100 + "日本語 7"


def test_a_whole_section_can_be_opened(shop: Trace) -> None:
    assert opened(shop, "big", "changed")[0] == "  orders[17]['status']  'new' -> 'held'"
    assert opened(shop, "numbers", "yielded")[2] == "  yielded[2] = 4"
    assert opened(shop, "nothing", "used") == ["  nothing"]
    assert opened(shop, "login", "printed")[0].startswith("  stdout[0]")


def test_what_ran_is_marked_and_the_rest_dimmed(shop: Trace) -> None:
    lines = code_lines(shop, call_of(shop, "fail"), width=80)
    texts = list(plain(lines))
    assert texts[1].endswith(".     if x > 1:")
    assert "!         raise ValueError" in texts[2]
    assert "      return x" in texts[3]
    assert lines[3][-1].role is Role.DIM
    assert lines[1][-1].role is Role.PLAIN


def test_of_long_code_what_ran_is_shown(shop: Trace) -> None:
    texts = list(plain(code_lines(shop, call_of(shop, "<module>"), height=12, width=80)))
    assert len([text for text in texts if " . " in text]) >= 8
    assert any("lines" in text and "..." in text for text in texts)


LRU = """
    class Cache:
        def __init__(self):
            self.size = 3
            self.entries = {(1,): "a", (2,): "b", (3,): "c"}
        def get(self, key):
            self.entries[key,] = self.entries.pop((key,))
            return self.entries[key,]
        def look(self, key):
            return self.entries[key,]
    cache = Cache()
    cache.get(1)
    cache.look(2)
"""


def test_an_object_is_shown_after_the_call_and_before_it_if_it_changed(tmp_path: Path) -> None:
    trace = recorded(tmp_path, LRU)
    lines = opened(trace, "Cache.get", "self.entries")
    assert re.sub(r"#\d+", "#1", lines[0]) == "self.entries = <dict #1>, 3 keys  (after the call)"
    assert lines[1:4] == [
        "  self.entries[(2,)] = 'b'",
        "  self.entries[(3,)] = 'c'",
        "  self.entries[(1,)] = 'a'",
    ]
    assert lines[4:] == ["  before the call:", "    {(1,): 'a', (2,): 'b', (3,): 'c'}"]
    assert "the call" not in "\n".join(opened(trace, "Cache.look", "self.entries"))


def test_another_order_of_keys_is_a_change(tmp_path: Path) -> None:
    trace = recorded(tmp_path, LRU)
    get = behaviour_of(trace, call_of(trace, "Cache.get"))
    text = "\n".join(plain(question_lines(trace, get, width=80)))
    assert "changed   order(self.entries)  (1,), (2,), (3,) -> (2,), (3,), (1,)" in text
    assert "same" not in text
    assert opened(trace, "Cache.get", "order(self.entries)")[1] == "  self.entries[(2,)] = 'b'"


def test_a_table_is_opened_as_a_table(tmp_path: Path) -> None:
    program = """
        import numpy as np
        def grid():
            return np.arange(60).reshape(30, 2)
        grid()
    """
    trace = recorded(tmp_path, program)
    lines = opened(trace, "grid", "return")
    assert re.sub(r"#\d+", "#1", lines[0]) == "return = <ndarray #1>, 30 rows, 2 columns of int64"
    assert lines[1:4] == ["      0   1", "  0   0   1", "  1   2   3"]
    assert lines[-1] == "  ... 10 more, `o return 2` opens them"
    assert opened(trace, "grid", "return 2")[-1] == "  29  58  59"
