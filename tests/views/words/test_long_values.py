"""Values that are longer than a line, and what is shown of them."""

import re
import sys
import textwrap
from pathlib import Path

import pytest

from sleuth.trace.reader import Trace
from sleuth.tree.loops.runs import loops_of
from sleuth.tree.node import Key
from sleuth.tree.observe.nodes import behaviour_at, behaviour_for
from sleuth.views.drawing.calls import argument_text
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.styled import plain
from sleuth.views.words.loop import member_lines
from sleuth.views.words.question import HEIGHT, question_lines

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.recorded import call_of, recorded


def shown(trace: Trace, name: str, *, width: int = 80) -> str:
    behaviour = behaviour_at(trace, call_of(trace, name).id)
    text = "\n".join(plain(question_lines(trace, behaviour, width=width)))
    return re.sub(r"#\d+", "#1", text)


def joined(text: str) -> str:
    """Return a screen without its line ends."""
    return " ".join(text.split())


FOREST = """
    class Forest:
        def __init__(self, houses):
            self.parent = {house: house for house in houses}
        def union(self, a, b):
            self.parent[a] = b
            return True
    Forest("abcde").union("a", "b")
"""


def test_a_small_container_in_an_object_is_shown_with_its_items(tmp_path: Path) -> None:
    lines = shown(recorded(tmp_path, FOREST), "Forest.union").splitlines()
    assert lines[1:3] == [
        "  given     self = <Forest #1 parent={'a': 'a', 'b': 'b', 'c': 'c', 'd': 'd',",
        "                    'e': 'e'}>",
    ]


def test_a_value_is_broken_between_its_items_and_no_sign_is_lost(tmp_path: Path) -> None:
    program = """
        def describe(graph):
            return list(graph)
        describe({
            "A": {"B": 4, "C": 1}, "B": {"A": 4, "C": 2, "D": 5}, "C": {"A": 1, "B": 2, "D": 8},
            "D": {"B": 5, "C": 8, "E": 3}, "E": {"D": 3, "C": 14},
        })
    """
    lines = shown(recorded(tmp_path, program), "describe").splitlines()
    assert lines[1:4] == [
        "  given     graph = {'A': {'B': 4, 'C': 1}, 'B': {'A': 4, 'C': 2, 'D': 5},",
        "                     'C': {'A': 1, 'B': 2, 'D': 8},",
        "                     'D': {'B': 5, 'C': 8, 'E': 3}, 'E': {'D': 3, 'C': 14}}",
    ]


def test_a_question_fills_the_screen_before_it_cuts_its_only_value(tmp_path: Path) -> None:
    program = """
        def lines():
            return [f"line {number}: {'x' * 50}" for number in range(8)]
        lines()
    """
    text = shown(recorded(tmp_path, program), "lines")
    assert all(f"'line {number}: {'x' * 50}'" in text for number in range(8))
    assert len(text.splitlines()) <= HEIGHT


def test_long_changes_leave_the_inputs_their_lines(tmp_path: Path) -> None:
    program = """
        class Account:
            def __init__(self):
                self.owner, self.balance, self.history, self.overdraft = "eva", 150, [], 100
        def fill(account, rows):
            for row in range(40):
                rows[row] = row
        fill(Account(), {})
    """
    text = joined(shown(recorded(tmp_path, program), "fill"))
    assert "<Account #1 owner='eva' balance=150 history=[] overdraft=100>" in text


def test_what_was_changed_is_shown_of_a_large_object(tmp_path: Path) -> None:
    program = """
        class Table:
            def __init__(self):
                for number in range(60):
                    setattr(self, f"field_{number}", f"value {number}")
                self.rows = {number: number * number for number in range(500)}
            def mark(self):
                self.field_41 = "marked"
                self.rows[321] = None
        table = Table()
        table.mark()
    """
    given = shown(recorded(tmp_path, program), "Table.mark").partition("returned")[0]
    assert "field_41='value 41'" in given
    assert re.search(r", \.\.\. 3\d\d more, 321: 103041, \.\.\. 178 more}", joined(given))


def test_what_was_read_on_the_way_is_shown_of_a_large_object(tmp_path: Path) -> None:
    program = """
        class Settings:
            def __init__(self):
                for number in range(60):
                    setattr(self, f"field_{number}", f"value {number}")
        def chosen(settings):
            return settings.field_37
        print(chosen(Settings()))
    """
    given = shown(recorded(tmp_path, program), "chosen").partition("returned")[0]
    assert "<Settings #1 field_37='value 37' " in given


def test_members_of_an_enumeration_are_known_by_their_names(tmp_path: Path) -> None:
    program = """
        from enum import Enum
        class State(Enum):
            PAID = "paid"
            PACKED = "packed"
        def pack(state):
            return {(State.PAID, "pack"): State.PACKED}[state, "pack"]
        pack(State.PAID)
    """
    text = shown(recorded(tmp_path, program), "pack")
    assert "pack(state=State.PAID)" in text
    assert "returned  State.PACKED" in text


def test_a_small_frame_is_shown_with_its_cells(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    program = """
        import pandas as pd
        def clean(frame):
            return frame.dropna()
        days = pd.to_datetime(["2024-01-03", "2024-01-04"])
        clean(pd.DataFrame({"day": days, "shop": ["north ", float("nan")], "count": [10, 2]}))
    """
    lines = shown(recorded(tmp_path, program), "clean").splitlines()
    assert lines[1:5] == [
        "  given     frame = <DataFrame #1>, 2 rows, 3 columns",
        "                       day         shop      count",
        "                    0  2024-01-03  'north '  10",
        "                    1  2024-01-04  nan       2",
    ]
    assert lines[5] == "  returned  <DataFrame #1>, 1 row, 3 columns"


def test_a_response_is_known_by_its_status_and_its_body(tmp_path: Path) -> None:
    module = """
        class JSONResponse:
            def __init__(self, status_code, body):
                self.background = self.charset = None
                self.raw_headers = [(b"content-type", b"application/json")] * 20
                self.status_code = status_code
                self.body = body
    """
    (tmp_path / "starlette").mkdir()
    (tmp_path / "starlette/__init__.py").touch()
    (tmp_path / "starlette/responses.py").write_text(textwrap.dedent(module))
    program = """
        from starlette.responses import JSONResponse
        def cancel():
            return JSONResponse(200, b'{"INK": 4}')
        def ask(response):
            return response.status_code
        ask(cancel())
    """
    trace = recorded(tmp_path, program)
    start = "<JSONResponse #1 status_code=200 body=b'{\"INK\": 4}'"
    assert f"returned  {start} background=None" in shown(trace, "cancel")
    assert f"ask(response={start}>)" in shown(trace, "ask")


def test_labels_stand_above_their_rows_on_a_narrow_terminal(tmp_path: Path) -> None:
    lines = shown(recorded(tmp_path, FOREST), "Forest.union", width=40).splitlines()
    assert lines[2:] == [
        "  given",
        "    self = <Forest #1 parent={'a': 'a',",
        "            'b': 'b', 'c': 'c',",
        "            'd': 'd', 'e': 'e'}>",
        "  returned  True",
        "  changed   self.parent['a']  'a' -> 'b'",
    ]


def test_what_is_left_out_begins_with_a_whole_entry_and_the_hint_is_whole(tmp_path: Path) -> None:
    program = """
        class Box:
            pass
        def fill(box):
            for number in range(40):
                setattr(box, f"an_attribute_with_a_long_name_{number}", "a value of 20 columns")
        fill(Box())
    """
    lines = shown(recorded(tmp_path, program), "fill", width=40).splitlines()
    at = next(number for number, line in enumerate(lines) if "more" in line)
    assert " ".join(line.strip() for line in lines[at:]).endswith("`o changed` opens it")
    assert lines[at - 1].strip() == "added 'a value of 20 columns'"


def test_the_first_value_of_a_variable_is_not_said_to_be_added(tmp_path: Path) -> None:
    program = """
        def total(rows):
            for row in rows:
                size = row * 2
            return size
        total([1, 2])
    """
    trace = recorded(tmp_path, program)
    call = call_of(trace, "total")
    runs = loops_of(trace, call.id).runs(int(call.first), int(call.last or 0), None)
    behaviour = behaviour_for(trace, Key(call.id, runs[0].first, runs[0].last))
    text = "\n".join(plain(question_lines(trace, behaviour, width=80)))
    assert re.search(r"size +(added|= )", text)
    assert "size  = 4" in text


def test_a_function_has_its_name_also_where_there_is_little_room(tmp_path: Path) -> None:
    program = """
        def by_age_and_by_name(person):
            return person
        def merge(people, key):
            return key(people)
        merge(["a" * 30], by_age_and_by_name)
    """
    trace = recorded(tmp_path, program)
    value = trace.arguments(call_of(trace, "merge"))[1]
    assert argument_text(Pictures(trace), value, 10, 24) == "by_age_and_by_name"


def test_calls_of_a_group_are_shown_with_what_their_arguments_contain(tmp_path: Path) -> None:
    program = """
        class Node:
            def __init__(self, weight, symbol):
                self.weight, self.symbol, self.left, self.right = weight, symbol, None, None
            def is_less(self, other):
                return self.weight < other.weight
        nodes = [Node(number, chr(97 + number)) for number in range(3)]
        nodes[0].is_less(nodes[1]), nodes[1].is_less(nodes[2])
    """
    trace = recorded(tmp_path, program)
    calls = [call_of(trace, "Node.is_less", number) for number in range(2)]
    rows = list(plain(member_lines(trace, calls, 68, lines=3)))
    text = joined(re.sub(r"#\d+", "#1", " ".join(rows)))
    assert "is_less(self=<Node #1 weight=0 symbol='a' left=None right=None>, other=<Node" in text
    assert text.count("-> True") == 2
    assert len(rows) <= 6
