"""Recorded events: calls, loops, branches, stores, exceptions and output."""

import sys

import pytest

from sleuth.trace.events import EventKind


def names(run):
    return [name for name, _ in run.calls()]


def test_every_call_is_there_with_arguments_result_and_call_site(record):
    run = record("""
        def add(a, b=2, *rest, key, **more):
            return a + b

        x = (add(1, key=3) +
             add(4, 5, 6, key=7, z=8))
    """)
    trace = run.trace
    (_, module), (first_name, first), (_, second) = run.calls()
    assert (first_name, first.parent, first.outcome.value) == ("add", module.id, "returned")
    function = trace.function(first.function)
    assert function.parameters == ("a", "b", "key", "rest", "more")
    assert [s.line for s in (trace.call_site(first), trace.call_site(second))] == [5, 6]
    assert trace.call_site(second).column == 5
    assert trace.call_site(second).end_column == 29
    enter = trace.event(first.first)
    assert [getattr(value, "content", None) for value in enter.values[:3]] == [1, 2, 3]
    leave = trace.event(first.last)
    assert leave.values[0].content == 3


def test_arguments_that_are_closure_cells_are_seen(record):
    run = record("""
        def outer(n, m):
            def inner(): return n
            return inner
        outer(41, 42)()
    """)
    assert "enter outer 41 42" in run.told()


def test_lambdas_properties_operators_class_and_module_bodies_are_calls(record):
    run = record("""
        class C:
            @property
            def p(self): return 1
            def __add__(self, other): return 2
        c = C()
        c.p, c + 1, (lambda v: v)(3)
    """)
    assert names(run) == ["<module>", "C", "C.p", "C.__add__", "<lambda>"]
    kinds = [run.trace.function(call.function).kind for _, call in run.calls()]
    assert kinds == ["module body", "class body", "function", "function", "lambda"]


def test_a_generator_is_one_call_with_many_segments(record):
    run = record("""
        def gen(n):
            got = yield n
            yield got
            return "end"
        def make(): return gen(1)
        g = make()
        next(g); g.send(5)
        try: next(g)
        except StopIteration as stop: value = stop.value
    """)
    (_, _), (_, make), (_, generator) = run.calls()
    assert generator.parent == make.id, "its parent is the call that made it"
    assert generator.outcome.value == "returned"
    told = [line for line in run.told() if line.startswith(("resume", "suspend", "bind local got"))]
    assert told == [
        "resume '?'",
        "suspend 1",
        "resume 5",
        "bind local got 3 5",
        "suspend 5",
        "resume 'None'",
    ]


def test_generators_started_in_another_order_keep_their_own_makers(record):
    run = record("""
        def gen(n): yield n
        def make(n): return gen(n)
        gens = [make(n) for n in range(1000)]
        for g in reversed(gens): next(g)
    """)
    calls = run.calls()
    parents = {call.id: name for name, call in calls}
    for name, call in calls:
        if name == "gen":
            assert parents[call.parent] == "make"
            assert call.parent == call.id - 1


@pytest.mark.slow
def test_very_many_generators_that_wait_for_their_start_are_not_confused(record):
    run = record("""
        def g(n): yield n
        waiting = [g(n) for n in range(66_000)]
        for each in waiting: next(each)
    """)
    given = {}
    for event in run.trace.events(0, run.trace.event_count):
        if event.kind is EventKind.ENTER and event.call and event.values:
            given[event.call] = event.values[0].content
        elif event.kind is EventKind.SUSPEND and event.call in given:
            assert event.values[0].content == given[event.call]
    assert len(given) == 66_000


def test_a_debugger_that_jumps_to_the_first_line_makes_no_new_call(record):
    run = record("""
        import sys
        def f():
            x = 1
            return x
        def trace(frame, event, _):
            if frame.f_code.co_name == "f":
                if event == "line" and frame.f_lineno == 5:
                    sys.settrace(None)
                    frame.f_lineno = 3
                    frame.f_trace = None
                return trace
        sys.settrace(trace)
        f()
    """)
    assert [call.outcome.name for name, call in run.calls() if name == "f"] == ["RETURNED"]


def test_a_generator_thrown_into_closed_or_dropped_ends_as_it_did(record):
    run = record("""
        def gen():
            try: yield 1
            except ValueError: yield 2
        a = gen(); next(a); a.throw(ValueError); a.close()
        b = gen(); next(b); del b
        c = gen()
        d = gen(); next(d)
    """)
    assert len([1 for name, _ in run.calls() if name == "gen"]) == 4
    assert run.trace.meta["orphan_events"] == 0


def test_coroutines_belong_to_their_tasks(record):
    run = record("""
        import asyncio
        async def work(n):
            await asyncio.sleep(0)
            return helper(n)
        def helper(n): return n
        async def main():
            await asyncio.gather(asyncio.create_task(work(1), name="one"),
                                 asyncio.create_task(work(2), name="two"))
        asyncio.run(main())
        helper(3)
    """)
    trace = run.trace
    tasks = [trace.tasks.get(call.task, "") for name, call in run.calls() if name == "helper"]
    assert tasks == ["one", "two", ""]
    works = [trace.tasks[call.task] for name, call in run.calls() if name == "work"]
    assert works == ["one", "two"], "a coroutine belongs to the task that runs it"


def test_threads_have_their_own_stacks(record):
    run = record("""
        import threading
        def leaf(n): return n
        def work(n):
            for i in range(300): leaf(i)
        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        [t.start() for t in threads]; [t.join() for t in threads]
    """)
    calls = {call.id: (name, call) for name, call in run.calls()}
    leaves = [call for name, call in calls.values() if name == "leaf"]
    assert len(leaves) == 1200
    for leaf in leaves:
        name, parent = calls[leaf.parent]
        assert name == "work"
        assert parent.thread == leaf.thread
    assert len({leaf.thread for leaf in leaves}) == 4


def test_loops_and_turns(record):
    run = record("""
        for i in [7, 8]:
            j = 0
            while j < 2:
                j += 1
        for k in (): pass
        squares = [v * v for v in range(2)]
        pairs = {a: b for a in (1,) for b in (2,)}
        lazy = list(q for q in (5,))
    """)
    told = [line for line in run.told() if line.startswith(("loop", "turn"))]
    assert told == [
        "loop for i 2 '?'",
        "turn for i 2 7",
        "loop while 4 '?'",
        "turn while 4 '?'",
        "turn while 4 '?'",
        "turn for i 2 8",
        "loop while 4 '?'",
        "turn while 4 '?'",
        "turn while 4 '?'",
        "loop for k 6 '?'",
        "loop comprehension v 7 '?'",
        "turn comprehension v 7 0",
        "turn comprehension v 7 1",
        "loop comprehension a 8 '?'",
        "turn comprehension a 8 1",
        "loop comprehension b 8 '?'",
        "turn comprehension b 8 2",
        "turn comprehension q 9 5",
    ]
    sites = {
        site.id: site
        for event in run.events()
        if event.kind.name == "TURN"
        for site in [run.trace.site(event.number)]
    }
    loops = {site.name or site.kind: site for site in sites.values()}
    assert loops["while"].loop == loops["i"].id
    assert loops["b"].loop == loops["a"].id


def test_comprehensions_are_loops_of_their_call_and_no_calls(record):
    run = record("""
        def f(xs): return [x for x in xs if x], {x for x in xs}, {x: 1 for x in xs}
        f([0, 1])
    """)
    assert names(run) == ["<module>", "f"]
    assert {event.call for event in run.events() if event.kind.name == "TURN"} == {1}


def test_an_asynchronous_comprehension_is_a_loop_of_its_call(record):
    run = record("""
        import asyncio
        async def numbers():
            for i in range(2):
                await asyncio.sleep(0)
                yield i
        async def main(): return [n async for n in numbers()]
        asyncio.run(main())
    """)
    assert names(run) == ["<module>", "main", "numbers"]
    told = [line for line in run.told() if line.startswith("turn comprehension")]
    assert told == ["turn comprehension n 7 0", "turn comprehension n 7 1"]


@pytest.mark.parametrize(
    ("code", "arms"),
    [
        ("if x: a = 1", ["if"]),
        ("if not x: a = 1", ["else"]),
        ("if not x: a = 1\nelif x: a = 2\nelse: a = 3", ["if"]),
        ("if not x: a = 1\nelse: a = 3", ["else"]),
        ("a = 1 if x else 2", ["conditional"]),
        ("a = 1 if not x else 2", ["conditional"]),
        ("a = x and 2", ["and"]),
        ("a = x or 2", []),
        ("a = None or x and 3", ["or", "and"]),
        ("if (x and not x) or x: pass", ["and", "or", "if"]),
        ("match x:\n    case 2: a = 1\n    case 1: a = 2", ["match"]),
        ("try: 1 / 0\nexcept ValueError: pass\nexcept ZeroDivisionError: pass", ["except"]),
        ("a = [i for i in (0, 1, 2) if i]", ["if", "if"]),
    ],
)
def test_every_arm_that_is_taken_is_an_event(record, code, arms):
    run = record("x = 1\n" + code)
    told = [run.trace.site(event.number).kind for event in run.events() if event.kind.name == "ARM"]
    assert told == arms


def test_every_store_and_delete(record):
    run = record("""
        g = 1
        class C:
            field = 2
        def f(c, d, l):
            global g
            g = 3
            def inner():
                nonlocal n
                n = 5
            n = 4
            inner()
            c.attr = 6
            c.attr += 1
            d["k"] = 8
            l[1:2] = [9]
            l[0] += 1
            a, (b, *e) = 10, (11, 12)
            with open("/dev/null") as w: pass
            if (y := 13): pass
            import os.path as p
            del d["k"], c.attr, a, l[0:1]
            del g
            for c.loop in (14,): pass
            try: raise KeyError(15)
            except KeyError as x: pass
            s = ""
            s += "t"
        f(C(), {}, [0, 1])
    """)
    told = [
        line
        for line in run.told()
        if line.split()[0]
        in (
            "bind",
            "unbind",
            "set_attribute",
            "delete_attribute",
            "set_item",
            "delete_item",
            "set_slice",
            "delete_slice",
        )
    ]
    for expected in (
        "bind global g 2 1",
        "bind class field 4 2",
        "bind global g 7 3",
        "bind nonlocal n 10 5",
        "bind local n 11 4",
        "set_attribute attribute attr 13 '?' 6",
        "set_attribute attribute attr 14 '?' 7",
        "set_item item 15 '?' 'k' 8",
        "set_slice item 16 '?' 1 2 '?'",
        "set_item item 17 '?' 0 1",
        "bind local a 18 10",
        "bind local b 18 11",
        "bind local y 20 13",
        "delete_item item 22 '?' 'k'",
        "delete_attribute attribute attr 22 '?'",
        "unbind local a 22",
        "delete_slice item 22 '?' 0 1",
        "unbind global g 23",
        "set_attribute attribute loop 24 '?' 14",
        "bind local s 28 't'",
    ):
        assert expected in told, (expected, told)
    assert any(line.startswith("bind local x 26") for line in told)
    assert any(line.startswith("unbind local x") for line in told)
    assert any(line.startswith("bind local p 21") for line in told)
    assert any(line.startswith("bind local w 19") for line in told)
    assert not any("__module__" in line or "__annotations__" in line for line in told)


def test_exceptions_where_raised_passed_through_and_handled(record):
    run = record("""
        def inner(): raise ValueError("no", 3)
        def middle():
            try: inner()
            finally: pass
        try: middle()
        except ValueError as e: pass
    """)
    told = [
        (event.kind.name, event.call)
        for event in run.events()
        if event.kind.name in ("RAISE", "CATCH", "UNWIND")
    ]
    assert told == [("RAISE", 2), ("UNWIND", 2), ("CATCH", 1), ("UNWIND", 1), ("CATCH", 0)]
    raised = next(event for event in run.events() if event.kind.name == "RAISE")
    assert [getattr(value, "content", "?") for value in raised.values] == ["?", "no", 3]
    assert run.trace.place_of(raised).line == 2
    assert [call.outcome.value for _, call in run.calls()] == ["returned", "raised", "raised"]


def test_equal_exceptions_in_a_loop_are_each_raised(record):
    run = record("""
        for _ in range(5):
            try: 1 / 0
            except ZeroDivisionError: pass
    """)
    assert [event.kind.name for event in run.events()].count("RAISE") == 5


def test_an_exception_that_is_only_passed_on_by_finally_is_raised_once(record):
    run = record("""
        try:
            try: 1 / 0
            finally: pass
        except ZeroDivisionError: pass
    """)
    kinds = [event.kind.name for event in run.events()]
    assert (kinds.count("RAISE"), kinds.count("CATCH")) == (1, 2)


def test_text_that_passes_through_stdout_and_stderr(record):
    run = record("""
        import sys, io, contextlib
        print("one", 2)
        sys.stderr.write("err\\n")
        with contextlib.redirect_stdout(io.StringIO()): print("caught")
        open("/dev/null", "w").write("elsewhere")
        print(type(sys.stdout).__name__, sys.stdout.isatty(), sys.stdout.fileno())
    """)
    streams = {1: "", 2: ""}
    for event in run.events():
        if event.kind.name == "OUTPUT":
            streams[event.number] += event.values[0].content
    assert streams == {1: "one 2\ncaught\nTextIOWrapper False 1\n", 2: "err\n"}
    assert run.process.stdout == "one 2\nTextIOWrapper False 1\n"


def test_output_says_which_line_of_the_recorded_code_made_it(record):
    run = record("""
        import sys, pprint
        def tell(thing):
            pprint.pprint(thing)
            sys.stderr.write("done")
        for each in [[1]]:
            tell(each)
        print("end")
    """)
    lines = [
        (event.values[0].content, run.trace.place_of(event).line)
        for event in run.events()
        if event.kind.name == "OUTPUT" and event.values[0].content.strip()
    ]
    assert lines == [("[1]", 4), ("done", 5), ("end", 8)]


def test_values_of_every_kind(record):
    run = record("""
        def f(v): pass
        for v in (None, True, ..., 0, -1, 63, 64, 2**40, -2**63, 2**64, -2**100, 1.5, -0.0, 2j,
                  "", "é\\ud800€😀", b"", b"\\xff", "x" * 100, "ü" * 100, b"y" * 100):
            f(v)
    """)
    expected = [
        0,
        -1,
        63,
        64,
        2**40,
        -(2**63),
        2**64,
        -(2**100),
        1.5,
        -0.0,
        2j,
        "",
        "é\ud800€😀",
        b"",
        b"\xff",
        "x" * 100,
        "ü" * 100,
        b"y" * 100,
    ]
    given = [
        event.values[0] for event in run.events() if event.kind.name == "ENTER" and event.values
    ]
    assert [value.name for value in given[:3]] == ["None", "True", "Ellipsis"]
    assert [value.content for value in given[3:]] == expected


def test_what_is_cut_says_so_with_its_length(record):
    run = record("""
        def f(v): pass
        f("a" * 70000); f("a" * 70000); f("b" * 70000); f(1 << 100000); f(b"z" * 70000)
    """)
    first, again, other, number, data = (
        event.values[0] for event in run.events() if event.kind.name == "ENTER" and event.values
    )
    assert (first.kind, first.length, first.kept) == ("text", 70000, "a" * 65536)
    assert first.hash == again.hash != other.hash
    assert (number.kind, number.length) == ("integer", 100001)
    assert (data.kind, data.length) == ("bytes", 70000)
    assert run.trace.meta["cut_values"] > 0


@pytest.mark.slow
def test_a_text_that_grows_in_a_loop_costs_no_quadratic_space(record):
    run = record(
        """
        s = ""
        for i in range(60000):
            s = s + "xyz"
    """,
        timeout=120,
    )
    assert run.process.returncode == 0
    assert run.path.stat().st_size < 20_000_000


def test_many_segments_make_one_run(record):
    run = record("""
        def f(n): return n
        for i in range(400_000): f(i)
    """)
    assert run.trace.call_count == 400_001
    last = run.trace.call(400_000)
    enter = run.trace.event(last.first)
    assert enter.values[0].content == 399_999


def test_deep_recursion_keeps_its_depth_and_its_error(record, plain):
    run = record("""
        import sys
        depth = 0
        def f():
            global depth
            depth += 1
            f()
        try: f()
        except RecursionError as e: print(depth, e)
        def g(n): return 0 if not n else 1 + g(n - 1)
        sys.setrecursionlimit(20_000)
        print(g(15_000))
    """)
    assert run.process.stdout == plain().stdout
    assert sum(call.outcome.value == "raised" for _, call in run.calls()) > 900


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters are 3.12's")
def test_hidden_scopes_of_type_parameters_are_left_alone(record):
    run = record("""
        type Alias[T] = list[T]
        def first[T: int](xs: list[T]) -> T: return xs[0]
        first([1]), Alias.__value__
    """)
    assert names(run) == ["<module>", "first"]


def test_objects_are_told_apart_though_addresses_are_used_again(record):
    run = record("""
        import collections
        class Plain: pass
        class Slotted: __slots__ = ("a",)
        class MyList(list): pass
        class MyError(ValueError): pass
        def f(value): return id(value)
        for kind in (list, dict, set, lambda: frozenset([1]), lambda: (f,), Plain, Slotted, MyList,
                     MyError, ValueError, bytearray, collections.deque, collections.OrderedDict):
            addresses = {f(kind()) for _ in range(50)}
    """)
    ids = [
        event.values[0].id
        for event in run.events()
        if event.kind.name == "ENTER" and event.values and hasattr(event.values[0], "id")
    ]
    exact = [number for number in ids if number % 2 == 0]
    assert len(ids) == 13 * 50
    assert len(set(exact)) == len(exact) == 13 * 50, "each is another object"


def test_an_object_that_lives_keeps_its_number(record):
    run = record("""
        class C:
            saved = None
            def __del__(self): C.saved = self
        def f(value): return value
        items = [[], {}, set(), C()]
        for turn in range(3):
            junk = [[] for _ in range(100)]
            for item in items: f(item)
        del items, item
        f(C.saved)
    """)
    entered = [
        event.values[0].id for event in run.events() if event.kind.name == "ENTER" and event.values
    ]
    assert entered[:4] == entered[4:8] == entered[8:12]
    assert entered[-2] == entered[3], "brought back by its finaliser: the same object"


def test_an_asynchronous_generator_yields_what_it_yields(record):
    run = record("""
        import asyncio
        async def numbers():
            yield [1]
            yield 2
        async def main():
            return [number async for number in numbers()]
        asyncio.run(main())
    """)
    given = [event.values[0] for event in run.events() if event.kind.name == "SUSPEND"]
    assert [getattr(value, "type_name", "int") for value in given if value][:2] == ["list", "int"]
