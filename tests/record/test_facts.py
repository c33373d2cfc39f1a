"""Further facts of events: which operands ran, what was called, where a call waits."""

from sleuth.trace.events import EventKind
from sleuth.trace.values import Absent, Atom, Ref


def arms(run):
    """Give the text of the source that each arm of an expression stands for."""
    trace = run.trace
    lines = (run.path.parent / "work" / "prog.py").read_text().splitlines()
    found = []
    for event in run.events():
        if event.kind is EventKind.ARM:
            span = trace.site(event.number).span
            found.append(lines[span.line - 1][span.column : span.end_column])
    return found


def test_the_operands_of_a_chained_comparison_that_were_evaluated_are_told(record):
    run = record("""
        def g(a, b, c, d): return a < b < c < d
        g(3, 1, 9, 9), g(1, 2, 0, 9), g(1, 2, 3, 4)
    """)
    told = [line for line in run.told() if line.startswith("arm")]
    assert len(told) == 0 + 1 + 2
    assert arms(run) == ["c", "c", "d"]


def test_the_conditions_of_a_comprehension_that_were_evaluated_are_told(record):
    run = record("""
        def low(v): return v < 3
        kept = [v for v in range(1, 5) if v > 1 if low(v) if v]
    """)
    assert arms(run) == ["low(v)", "v", "v", "low(v)", "low(v)"]


def called(run):
    return [(name, call.is_what_was_called) for name, call in run.calls()][1:]


def test_a_call_says_whether_it_is_what_the_program_called_there(record):
    run = record("""
        import functools
        class Q:
            def __init__(self): pass
            def __len__(self): return 4
            def __add__(self, other): return f(1)
            def __call__(self, *more): return 2
            def m(self, x): return x
            @classmethod
            def make(cls): return None
            @property
            def p(self): return 3
        def f(*a, **k): return 1
        def gen(): yield 1
        q = Q()
        min([q], key=len)
        max([1], key=f)
        q + 1
        functools.partial(f)()
        q.p
        q(1)
        q.m(1)
        bound = q.m
        bound(1)
        Q.make()
        f(1), f(*[1]), f(a=1), f(*[1], **{"a": 2})
        gen()
        sorted([2, 1], key=lambda v: v)
    """)
    assert called(run) == [
        ("Q", False),
        ("Q.__init__", False),
        ("Q.__len__", False),
        ("f", False),
        ("Q.__add__", False),
        ("f", True),
        ("f", False),
        ("Q.p", False),
        ("Q.__call__", True),
        ("Q.m", True),
        ("Q.m", True),
        ("Q.make", True),
        ("f", True),
        ("f", True),
        ("f", True),
        ("f", True),
        ("gen", True),
        ("<lambda>", False),
        ("<lambda>", False),
    ]


def test_a_call_that_failed_before_it_began_is_not_taken_for_a_later_one(record):
    run = record("""
        def add(self, other): return 1
        class Q: __add__ = add
        try:
            add(1)
        except TypeError:
            pass
        Q() + 1
        [v for v in (add(1, 2),)]
    """)
    assert called(run) == [("Q", False), ("add", False), ("add", True)]


def test_a_recording_of_calls_alone_says_nothing_of_what_was_called(record):
    run = record("def f(): return 1\nf()", options=("--calls-only",))
    assert called(run) == [("f", False)]


WAITING = """
    import asyncio
    def inner(): yield 1
    def outer():
        yield from inner()
        yield from inner()
        yield 3
    list(outer())
    async def wait():
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    asyncio.run(wait())
"""


def test_a_suspension_says_where(record):
    run = record(WAITING)
    trace = run.trace
    lines: dict[str, list[int | None]] = {}
    for event in run.events():
        if event.kind is EventKind.SUSPEND:
            function = trace.function(trace.call(event.call).function)
            span = function.span_at(event.place)
            lines.setdefault(function.name, []).append(span and span.line)
    assert lines == {"inner": [3, 3], "outer": [5, 6, 7], "wait": [10, 11]}


def test_absent_at_a_resume_but_the_first_means_thrown_into(record):
    run = record("""
        import asyncio
        def gen():
            while True:
                try:
                    yield 1
                except KeyError:
                    pass
        def delegating():
            yield from gen()
        for make in (gen, delegating):
            g = make()
            next(g); next(g); g.send(None); g.send(5); g.throw(KeyError); next(g); g.close()
        async def agen():
            try:
                yield 1
            except KeyError:
                yield 2
        async def main():
            a = agen()
            await a.__anext__()
            await a.athrow(KeyError)
            await a.aclose()
            task = asyncio.ensure_future(asyncio.sleep(5))
            waiting = asyncio.ensure_future(wait(task))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        async def wait(task):
            await task
        asyncio.run(main())
    """)
    told: dict[tuple[int, str], list[bool]] = {}
    for event in run.events():
        if event.kind is EventKind.RESUME:
            name = run.trace.function(run.trace.call(event.call).function).name
            is_absent = isinstance(event.values[0], Absent)
            told.setdefault((event.call, name), []).append(is_absent)
    by_name: dict[str, list[list[bool]]] = {}
    for (_, name), absent in told.items():
        by_name.setdefault(name, []).append(absent)
    first, sent, thrown = True, False, True
    stretches = [first, sent, sent, sent, thrown, sent, thrown]
    assert by_name["gen"] == [stretches, stretches]
    assert by_name["agen"] == [[first, thrown, thrown]]
    assert by_name["wait"] == [[first, thrown]]
    # What is thrown goes to what it waits for: it runs again when that is over.
    assert by_name["delegating"] == [[first, sent, sent, sent, sent, thrown]]


def test_a_class_says_what_it_is_made_from(record):
    run = record("""
        class Plain: kind = 1
        class Other: pass
        class Both(Plain, Other): limit = 2
        class Error(ValueError): pass
    """)
    trace = run.trace
    classes = {
        trace.site(event.number).name: (event.values[0], event.moment)
        for event in run.events()
        if event.kind is EventKind.BIND and isinstance(event.values[0], Ref)
    }

    def fields(name):
        ref, moment = classes[name]
        (part,) = trace.shape(ref, moment + 1).parts
        return {key.content: value for key, value in part.pairs}

    assert fields("Plain") == {"kind": Atom(1)}
    assert fields("Other") == {}
    wanted = {"base 0": classes["Plain"][0], "base 1": classes["Other"][0], "limit": Atom(2)}
    assert fields("Both") == wanted
    assert list(fields("Error")) == ["base 0"]


def test_contents_of_classes_that_others_made_are_not_told_with_those_made_from_them(record):
    run = record("""
        import enum
        class Colour(enum.Enum):
            RED = 1
    """)
    trace = run.trace
    (ref,) = {
        event.values[0]
        for event in run.events()
        if event.kind is EventKind.BIND and trace.site(event.number).name == "Colour"
    }
    (part,) = trace.shape(ref, trace.event_count).parts
    base = dict(part.pairs)[Atom("base 0")]
    assert trace.shape(base, trace.event_count) is None
