"""Questions about streams, objects that are not opened, and long changes."""

import re
import sys
from pathlib import Path

from sleuth.trace.reader import Trace
from sleuth.tree.observe.nodes import behaviour_at
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.styled import plain
from sleuth.views.drawing.value_text import SHORT
from sleuth.views.words.question import question_lines

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.recorded import call_of, recorded


def shown(trace: Trace, name: str) -> str:
    behaviour = behaviour_at(trace, call_of(trace, name).id)
    return "\n".join(plain(question_lines(trace, behaviour, width=80)))


def test_a_stream_gives_what_it_passes_on(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        def inner(n):
            for i in range(n):
                yield i

        def middle():
            yield from inner(2)

        def outer():
            yield "a"
            yield from middle()
            yield from [7]

        print(list(outer()), list(x for x in outer()))
        """,
    )
    assert "yielded   'a', 0, 1, <not recorded: given by code that is not recorded>" in shown(
        trace, "outer"
    )
    assert "yielded   0, 1" in shown(trace, "middle")
    assert "<genexpr>() " in shown(trace, "<genexpr>")


def test_objects_are_told_apart_without_opening_them(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        class Named:
            def __init__(self, name, weight):
                self.empty = ""
                self.weight = weight
                self.name = name
                self.parts = []

        class Point:
            def __init__(self, x, y):
                self.x = x
                self.y = y

        class Box:
            def __init__(self, width):
                self.width = width
                self.inside = []

        def look(named, point, box):
            return [named]

        look(Named("tea", 3), Point(1, 2), Box(7))
        """,
    )
    title, *_ = shown(trace, "look").splitlines()
    assert re.match(r"look\(named=<Named #\d+ 'tea'>, point=<Point #\d+>, box=<Box #\d+>\) ", title)
    names = [
        Pictures(trace).of(seen.value, seen.at, depth=SHORT)
        for seen in behaviour_at(trace, call_of(trace, "look").id).given
    ]
    assert [re.sub(r"#\d+", "#", name) for name in names] == [
        "<Named # 'tea'>",
        "<Point # x=1 y=2>",
        "<Box # width=7>",
    ]


def test_a_long_old_value_and_its_new_one_stand_below_each_other(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        class Bag:
            pass

        def refill(bag):
            bag.items = [number * 11111 for number in range(8)]

        bag = Bag()
        bag.items = [number * 22222 for number in range(8)]
        refill(bag)
        """,
    )
    lines = shown(trace, "refill").splitlines()
    (at,) = [number for number, line in enumerate(lines) if "bag.items" in line]
    assert "[0, 22222, 44444, " in lines[at]
    assert lines[at].endswith("[0, 22222, 44444, 66666, 88888, 111110, 133332,")
    assert lines[at + 1].strip() == "155554]"
    assert lines[at + 2].endswith("-> [0, 11111, 22222, 33333, 44444, 55555, 66666, 77777]")


def test_code_is_named_and_says_what_it_is_for(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        class Plain:
            pass

        def late(
            job,
            now=3,
        ) -> int:
            '''Minutes that a job is late.

            Never less than 0.
            '''
            return now

        def apply(function, kind):
            "What comes of it."
            return function(kind)

        def silent(text):
            return "no doc"

        apply(late, Plain)
        apply(late, dict)
        silent("")
        """,
    )
    shown_apply = shown(trace, "apply")
    assert "apply(function=<function late>, kind=<type Plain>)" in shown_apply
    again = behaviour_at(trace, call_of(trace, "apply", 1).id)
    assert "kind=dict)" in next(plain(question_lines(trace, again, width=80)))
    assert "  doc       What comes of it." in shown_apply
    assert "  doc       Minutes that a job is late.\n" in shown(trace, "late")
    assert "doc  " not in shown(trace, "silent")


def test_a_docstring_may_begin_on_its_second_line(tmp_path: Path) -> None:
    source = '''
        def half(n):
            """
            Half of it.

            More.
            """
            return n / 2
        def third(n):
            """\\
            A third of it.
            """
            return n / 3
        def bare(n):
            """"""
            return n
        half(3); third(3); bare(3)
        '''
    trace = recorded(tmp_path, source)
    assert "  doc       Half of it.\n" in shown(trace, "half")
    assert "  doc       A third of it.\n" in shown(trace, "third")
    assert "doc  " not in shown(trace, "bare")


def test_of_globals_that_are_not_kept_whole_it_is_said_how_many(tmp_path: Path) -> None:
    source = """
        def mean(x):
            return x
        def mode(x):
            return x
        def named(x, how):
            return how(x)
        mean.unit = mode.unit = "m"
        named(1, mean)
        """
    text = shown(recorded(tmp_path, source), "named")
    assert "1 of 1 items are kept" not in text
    assert "how: it may have more parts than were seen" in text
    assert "1 object in other globals: not kept whole" in text


def test_the_text_of_a_lambda_and_of_an_expression_is_shown_with_both_its_ways(
    tmp_path: Path,
) -> None:
    program = """
        double = lambda n: n * 2 if n > 1 else n
        double(1)
        eval("double if len('') else 7")
    """
    trace = recorded(tmp_path, program)
    first, second = (
        "\n".join(plain(question_lines(trace, behaviour_at(trace, call), width=80)))
        for call in (1, 2)
    )
    assert "code      n * 2 if n > 1 else n" in first
    assert "code      double if len('') else 7" in second
