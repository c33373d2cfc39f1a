"""The lines that ran are those that a tracing function sees."""

import json
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

import pytest

from sleuth.trace.reader import Trace
from sleuth.tree.coverage import coverage
from tests import toy
from tests.recorded import call_of, recorded

WATCH = """
import json, sys
seen = {}
order = []
def watch(frame, event, argument):
    if frame.f_code.co_filename != sys.argv[1]:
        return None
    if frame.f_code.co_name in ("<module>", "<listcomp>", "<dictcomp>"):
        return None
    if not frame.f_code.co_flags & 1:
        return None
    if frame not in seen:
        seen[frame] = set()
        order.append(frame)
    if event == "line":
        seen[frame].add(frame.f_lineno)
    return watch
source = open(sys.argv[1], encoding="utf-8").read()
code = compile(source, sys.argv[1], "exec")
sys.settrace(watch)
try:
    exec(code, {"__name__": "__main__"})
except Exception:
    pass
sys.settrace(None)
json.dump([[f.f_code.co_qualname, sorted(seen[f])] for f in order], sys.stderr)
"""

PROGRAMS = {
    "branches": """
        def early(x):
            if x:
                return 1
            y = 2
            return y
        def chain(x):
            if x == 0:
                r = "zero"
            elif x == 1:
                r = "one"
            else:
                r = "many"
            return r
        def bare(x):
            if x > 2:
                pass
            elif x > 1:
                print("two")
            else:
                print("one")
            print("end")
        def nested(x, y):
            if x:
                if y:
                    return "both"
                print("x only")
            else:
                if y:
                    print("y only")
            return None
        for n in range(4):
            early(n), chain(n), bare(n)
        for a in (0, 1):
            for b in (0, 1):
                nested(a, b)
        """,
    "loops": """
        def find(xs, wanted):
            for x in xs:
                if x == wanted:
                    return x
            return None
        def skip(xs):
            total = 0
            for x in xs:
                if x < 0:
                    continue
                if x > 10:
                    break
                total += x
            else:
                total = -total
            return total
        def count(n):
            while n:
                n -= 1
            return n
        def never():
            for _ in ():
                print("never")
            while False:
                print("never")
        find([1, 2, 3], 2), find([1], 5), find([], 1)
        skip([1, 2]), skip([-1, 2, 11, 4]), skip([])
        count(3), count(0), never()
        """,
    "exceptions": """
        def fail(x):
            if x > 1:
                raise ValueError(x)
            return x
        def caught(x):
            try:
                fail(x)
                print("fine")
            except ValueError as error:
                print(error)
                return "bad"
            else:
                print("else")
            finally:
                print("finally")
            return "good"
        def through(x):
            first = fail(x)
            second = fail(x + 1)
            return first + second
        def again():
            for n in (1, 2, 3):
                try:
                    fail(n)
                    print("after")
                except ValueError:
                    print("caught")
            print("end")
        def otherwise(x):
            try:
                fail(x)
            except ValueError:
                kind = None
            else:
                kind = "good"
            return kind
        caught(1), caught(2), again(), otherwise(1), otherwise(2)
        for n in (0, 1, 2):
            try:
                through(n)
            except ValueError:
                pass
        """,
    "recursion": """
        def fact(n):
            if n == 0:
                return 1
            return n * fact(n - 1)
        def walk(n):
            if n > 0:
                walk(n - 1)
                print(n)
        fact(3)
        walk(2)
        """,
    "several lines": """
        def call(a, b):
            return dict(
                a=a,
                b=b,
            )
        def text():
            return (
                "one"
                "two"
            )
        def chosen(x):
            value = (
                x and
                call(x, 1)
            )
            return value
        def tested(x):
            if max(
                x, 1
            ) > 2:
                return "big"
            return (x > 0 and
                call(x, 2) and
                x > 1)
        def summed(xs):
            return sum(
                x * 2
                for x in xs
                if x
            )
        chosen(0), chosen(1), text(), tested(0), tested(1), tested(5), summed([0, 1])
        """,
    "others": '''
        import contextlib
        def with_block(x):
            """A text
            of several lines.
            """
            # a comment
            with contextlib.suppress(ValueError):
                if x:
                    raise ValueError
                print("inside")
            print("behind")
        def deleted(d):
            del d["a"]
            d.clear()
            return len(d)
        def matched(x):
            match x:
                case 0:
                    return "zero"
                case [a, b]:
                    r = a + b
                case _:
                    r = None
            return r
        def inner(x):
            def double(y):
                return y * x
            return double(3)
        with_block(0), with_block(1), deleted({"a": 1})
        matched(0), matched([1, 2]), matched("x"), inner(2)
        ''',
    "comprehensions": """
        def double(x):
            return x * 2
        def chosen(xs):
            if xs:
                return sum([double(x) for x in xs])
            ys = {x: double(x) for x in (1, 2)}
            return len(ys)
        chosen([1, 2]), chosen([])
        """,
    "generators": """
        def numbers(n):
            for i in range(n):
                yield i
                print("between")
            yield "last"
            print("end")
        def closing():
            try:
                yield 1
                print("never")
            finally:
                print("closed")
        list(numbers(2))
        g = closing(); next(g); g.close()
        """,
}


def truth(folder: Path, source: str) -> Counter[tuple[str, tuple[int, ...]]]:
    path = folder / "prog.py"
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    process = subprocess.run(
        [sys.executable, "-c", WATCH, str(path)], capture_output=True, text=True, check=True
    )
    return Counter((name, tuple(lines)) for name, lines in json.loads(process.stderr))


def told(trace: Trace) -> Counter[tuple[str, tuple[int, ...]]]:
    found: Counter[tuple[str, tuple[int, ...]]] = Counter()
    for call in trace.calls():
        function = trace.function(call.function)
        assert function is not None
        if not function.kind.endswith(" body"):
            found[function.qualified_name, coverage(trace, call).lines] += 1
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_lines_are_those_that_a_tracing_function_sees(tmp_path: Path, name: str) -> None:
    trace = recorded(tmp_path, PROGRAMS[name])
    assert told(trace) == truth(tmp_path, PROGRAMS[name])


def test_a_line_that_raised_is_among_them(tmp_path: Path) -> None:
    trace = recorded(tmp_path, PROGRAMS["exceptions"])
    found = coverage(trace, call_of(trace, "fail", 1))
    assert (found.raised, found.lines) == (4, (3, 4))


def test_every_call_of_a_toy_program_has_lines_of_its_own(tmp_path: Path) -> None:
    trace = Trace(toy.record(tmp_path / "fact.trace", toy.FACTORIAL, []))
    for call in trace.calls():
        found = coverage(trace, call)
        assert found.lines
        assert set(found.lines) <= set(found.code)


def test_a_call_that_never_ended_has_lines(tmp_path: Path) -> None:
    source = """
        import os
        def first(x):
            y = x
            last(y)
            return y
        def last(z):
            os.kill(os.getpid(), 9)
            print("never")
        first(1)
        """
    trace = recorded(tmp_path, source, status=-9)
    assert 5 in coverage(trace, call_of(trace, "first")).lines
