"""The variables of a call at a moment."""

from pathlib import Path

import pytest

from sleuth.trace.events import EventKind, FunctionRow, SiteRow
from sleuth.trace.numbers import EnterFlag
from sleuth.trace.reader import Trace
from sleuth.trace.store.encode import Segment
from sleuth.trace.store.writer import Writer
from sleuth.trace.values import Atom, Constant, Cut, Part, Ref, Value

BIND, UNBIND, TURN = EventKind.BIND, EventKind.UNBIND, EventKind.TURN


class Run:
    """Records by hand; each step is told with what should be known behind it."""

    def __init__(self, path: Path) -> None:
        self.writer = Writer.create(path, {"identity": "numbered"})
        self.path = path
        module = self.writer.add_module(
            name="m", path="m.py", recorded=True, reason="", source=None
        )
        functions = [
            ("<module>", "module body", ()),
            ("f", "function", ("a", "b")),
            ("f.<locals>.g", "function", ()),
            ("C", "class body", ()),
        ]
        self.writer.add_functions(
            module,
            [
                FunctionRow(
                    n, name.rpartition(".")[2], name, kind, 1, 9, "", given, [(2, 5, 0, 5, 9)]
                )
                for n, (name, kind, given) in enumerate(functions, 1)
            ],
        )
        sites = [
            (1, "global", "conf"),
            (2, "local", "a"),
            (2, "local", "x"),
            (2, "for", "i"),
            (2, "comprehension", "c"),
            (3, "nonlocal", "x"),
            (3, "global", "conf"),
            (4, "class", "method"),
            (2, "local", "x"),
            (2, "attribute", "price"),
            (2, "item", ""),
        ]
        self.writer.add_sites(
            module,
            [
                SiteRow(n, f, kind, name, n, 0, n, 1, 0)
                for n, (f, kind, name) in enumerate(sites, 1)
            ],
        )
        self.segments = [Segment()]

    @property
    def segment(self) -> Segment:
        return self.segments[-1]

    def cut(self) -> None:
        self.segments.append(Segment())

    def finish(self) -> Trace:
        for number, segment in enumerate(self.segments):
            self.writer.write_segment(number, segment.data, closed=True)
        self.writer.finish({"how": "exited", "status": 0})
        return Trace(self.path)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path / "run.trace")


def plain(values: dict[str, Value]) -> dict[str, object]:
    return {n: v.content if isinstance(v, Atom) else v for n, v in values.items()}


def variables(trace: Trace, call: int, at: int) -> dict[str, object]:
    return plain(dict(trace.variables(trace.call(call), at)))


def test_variables_are_those_of_this_activation_at_this_moment(run: Run) -> None:
    s = run.segment
    s.enter(2, [Atom(1), Atom(2)])  # 0
    s.at(BIND, 3, Atom(10))  # 1: x
    s.at(BIND, 2, Atom(5))  # 2: a again
    s.at(TURN, 4, Atom(0))  # 3: i
    s.at(TURN, 5, Atom(77))  # 4: c of a comprehension
    run.cut()
    s = run.segment
    s.enter(2, [Atom(8), Atom(9)])  # 5: the same function inside
    s.at(BIND, 3, Atom(20))  # 6
    s.leave(Constant("None"))  # 7
    s.at(UNBIND, 9)  # 8: del x, at another site
    s.at(TURN, 4, Atom(1))  # 9
    trace = run.finish()
    assert variables(trace, 0, 0) == {}
    assert variables(trace, 0, 1) == {"a": 1, "b": 2}
    assert variables(trace, 0, 2) == {"a": 1, "b": 2, "x": 10}
    assert variables(trace, 0, 5) == {"a": 5, "b": 2, "x": 10, "i": 0}
    assert variables(trace, 0, 8) == {"a": 5, "b": 2, "x": 10, "i": 0}
    assert variables(trace, 0, 9) == {"a": 5, "b": 2, "i": 0}
    assert variables(trace, 0, 10) == {"a": 5, "b": 2, "i": 1}
    assert variables(trace, 1, 7) == {"a": 8, "b": 9, "x": 20}


def test_what_an_inner_function_sets_is_a_variable_of_the_outer_one(run: Run) -> None:
    s = run.segment
    s.enter(2, [Atom(1), Atom(2)])  # 0
    s.at(BIND, 3, Atom(10))  # 1
    s.enter(2, [Atom(3), Atom(4)])  # 2
    s.at(BIND, 3, Atom(11))  # 3
    s.enter(3, [])  # 4: g of the inner activation
    s.at(BIND, 6, Atom(99))  # 5
    s.leave(Constant("None"))  # 6
    trace = run.finish()
    assert variables(trace, 1, 7)["x"] == 99
    assert variables(trace, 1, 5)["x"] == 11
    assert variables(trace, 0, 7)["x"] == 10
    assert variables(trace, 2, 7) == {"x": 99}


def test_globals_are_what_any_function_has_set(run: Run) -> None:
    s = run.segment
    s.enter(1, [])  # 0
    s.at(BIND, 1, Atom(1))  # 1
    s.enter(4, [])  # 2
    s.at(BIND, 8, Atom("m"))  # 3
    s.leave(Constant("None"))  # 4
    run.cut()
    s = run.segment
    s.enter(3, [])  # 5
    s.at(BIND, 7, Atom(2))  # 6
    s.leave(Constant("None"))  # 7
    trace = run.finish()
    (module,) = trace.modules()
    assert plain(dict(trace.globals(module, 1))) == {}
    assert plain(dict(trace.globals(module, 6))) == {"conf": 1}
    assert plain(dict(trace.globals(module, 7))) == {"conf": 2}
    assert variables(trace, 1, 4) == {"method": "m"}
    assert variables(trace, 2, 7) == {}
    assert variables(trace, 0, 2) == {"conf": 1}


def test_a_generator_keeps_its_variables_while_it_waits(run: Run) -> None:
    s = run.segment
    s.enter(2, [Atom(1), Atom(2)], flags=EnterFlag.DEFERRED)  # 0
    s.resume(0)  # 1
    s.at(BIND, 3, Atom(10))  # 2
    s.suspend(Atom(0))  # 3
    run.cut()
    run.segment.resume(0)  # 4
    run.segment.at(BIND, 3, Atom(11))  # 5
    trace = run.finish()
    assert variables(trace, 0, 4) == {"a": 1, "b": 2, "x": 10}
    assert variables(trace, 0, 6) == {"a": 1, "b": 2, "x": 11}


def test_a_call_tells_what_it_changed_as_paths_with_aliases_and_causes(run: Run) -> None:
    s = run.segment
    cart, lines, line = Ref("m.Cart", 2), Ref("list", 4), Ref("m.Line", 7)
    s.contents(2, Part("attributes", (lines,), 1, (Atom("lines"),)))
    s.contents(4, Part("sequence", (line, Atom(1)), 2))
    s.contents(7, Part("attributes", (Atom(20),), 1, (Atom("price"),)))
    s.enter(2, [cart, lines])  # 0
    s.at(EventKind.SET_ATTRIBUTE, 10, line, Atom(18))  # 1
    s.spliced(4, 2, 0, [Atom(5)], place=2)  # 2
    s.at(EventKind.SET_ITEM, 11, lines, Atom(1), Atom(9), asked=True)  # 3: does nothing itself
    s.leave(Constant("None"))  # 4
    trace = run.finish()
    difference = trace.changed(trace.call(0))
    price, added = sorted(difference.changes, key=lambda change: change.kind, reverse=True)
    assert (price.path, price.old, price.new) == ("b[0].price", Atom(20), Atom(18))
    assert price.cause is not None
    assert (price.cause.moment, price.cause.is_recorded) == (1, True)
    assert (added.path, added.kind, added.new) == ("b[2]", "added", Atom(5))
    assert added.also == ("a.lines",)
    assert added.cause is not None
    assert (added.cause.is_recorded, added.cause.place, added.cause.call) == (False, 2, 0)
    assert difference.same == ()
    shape = trace.shape(line, 4)
    assert shape is not None
    assert shape.is_probable
    assert trace.before(trace.call(0)).at == 0
    assert trace.after(trace.call(0)).at == 4


def test_a_list_of_which_only_the_beginning_is_kept_stays_right(run: Run) -> None:
    s = run.segment
    ref = Ref("list", 2)
    s.contents(2, Part("sequence", (Atom(0), Atom(1)), 1000, (), False))
    s.enter(2, [ref, Atom(0)])  # 0
    s.at(EventKind.SET_ITEM, 11, ref, Atom(-1000), Atom(7))  # 1: the first
    s.at(EventKind.SET_ITEM, 11, ref, Atom(-1), Atom(7))  # 2: the last, not kept
    s.spliced(2, 1000, 0, [Atom(5)])  # 3: appended
    s.at(EventKind.DELETE_ITEM, 11, ref, Atom(0))  # 4
    s.at(EventKind.DELETE_SLICE, 11, ref, Constant("None"), Atom(500))  # 5
    s.leave(Constant("None"))  # 6
    trace = run.finish()

    def known(at: int) -> tuple[list[Value], int]:
        shape = trace.shape(ref, at)
        assert shape is not None
        (part,) = shape.parts
        assert not part.is_complete
        return list(part.items), part.full_length

    assert known(0) == ([Atom(0), Atom(1)], 1000)
    assert known(3) == ([Atom(7), Atom(1)], 1000)
    assert known(4) == ([Atom(7), Atom(1)], 1001)
    assert known(5) == ([Atom(1)], 1000)
    assert known(6) == ([], 500)
    difference = trace.changed(trace.call(0))
    assert difference.not_kept == (("a", 0, 500),)
    assert [change.path for change in difference.changes] == ["len(a)"]


def test_equal_keys_are_one_key(run: Run) -> None:
    s = run.segment
    ref, one, other = Ref("dict", 2), Ref("tuple", 4), Ref("tuple", 6)
    long = Cut("text", 10**6, 3, "begins")
    s.contents(2, Part("mapping", (Atom(0), Atom(0)), 2, (Atom(1), one)))
    s.contents(4, Part("sequence", (Atom(1), Atom("a")), 2))
    s.contents(6, Part("sequence", (Atom(1.0), Atom("a")), 2))
    s.enter(2, [ref, Atom(0)])  # 0
    s.at(EventKind.SET_ITEM, 11, ref, Constant("True"), Atom(5))  # 1
    s.at(EventKind.SET_ITEM, 11, ref, other, Atom(6))  # 2
    s.at(EventKind.SET_ITEM, 11, ref, long, Atom(7))  # 3
    s.at(EventKind.SET_ITEM, 11, ref, long, Atom(8))  # 4
    s.at(EventKind.SET_ITEM, 11, ref, Ref("list", 8), Atom(8))  # 5: fails, is no key
    s.leave(Constant("None"))  # 6
    trace = run.finish()
    shape = trace.shape(ref, 6)
    assert shape is not None
    assert shape.parts[0].pairs == ((Atom(1), Atom(5)), (one, Atom(6)), (long, Atom(8)))
    paths = [change.path for change in trace.changed(trace.call(0)).changes]
    assert paths[:2] == ["a[1]", "a[1, 'a']"]


def test_bytes_tuples_and_cells_are_told(run: Run) -> None:
    s = run.segment
    ref, fixed, cell = Ref("bytearray", 2), Ref("tuple", 4), Ref("cell", 6)
    s.contents(2, Part("bytes", (Atom(b"abc"),), 3))
    s.contents(4, Part("sequence", (Atom(1),), 1))
    s.contents(6, Part("cell", (), 0))
    s.enter(2, [ref, fixed])  # 0
    s.at(EventKind.SET_ITEM, 11, ref, Atom(-1), Atom(100))  # 1
    s.at(EventKind.SET_SLICE, 11, ref, Atom(0), Atom(1), Atom(b"xy"))  # 2
    s.at(EventKind.SET_ITEM, 11, fixed, Atom(0), Atom(2))  # 3: fails
    s.changed(6, Part("cell", (Atom(3),), 1), place=2)  # 4
    s.spliced(2, 0, 1, [Atom(b"--")])  # 5
    s.at(EventKind.SET_ITEM, 11, ref, Ref("slice", 8), Atom(b""))  # 6: nobody can say
    s.leave(Constant("None"))  # 7
    trace = run.finish()

    def only(ref: Ref, at: int) -> tuple[Value, ...]:
        shape = trace.shape(ref, at)
        assert shape is not None
        return shape.parts[0].items

    assert [only(ref, at) for at in (1, 2, 3, 6)] == [
        (Atom(b"abc"),),
        (Atom(b"abd"),),
        (Atom(b"xybd"),),
        (Atom(b"--ybd"),),
    ]
    assert only(fixed, 7) == (Atom(1),)
    assert (only(cell, 4), only(cell, 5)) == ((), (Atom(3),))
    last = trace.shape(ref, 7)
    assert last is not None
    assert not last.is_sure
    assert trace.changed(trace.call(0)).unsure == ("a",)


def test_slices_that_need_each_other_without_end_are_not_sure(run: Run) -> None:
    s = run.segment
    left, right = Ref("list", 2), Ref("list", 4)
    s.contents(2, Part("sequence", (Atom(1),), 1))
    s.contents(4, Part("sequence", (Atom(2),), 1))
    s.enter(2, [left, right])
    for number in range(600):
        pair = (left, right) if number % 2 else (right, left)
        s.at(EventKind.SET_SLICE, 11, pair[0], Atom(0), Atom(1), pair[1])
    trace = run.finish()
    shape = trace.shape(left, 601)
    assert shape is not None
    assert shape.parts[0].full_length >= 1
