"""Tools that read bytecode see plain code; the functions are recorded all the same."""

import pytest

READER = """
    import dis, types

    def add(numbers, limit=10):
        total = 0
        for number in numbers:
            if number < limit:
                total += number
        return total

    def operations(code):
        for const in code.co_consts:
            assert type(const) in (int, str, tuple, type(None), types.CodeType), const
        raw, table = code.co_code, list(code.co_positions())
        assert len(table) * 2 == len(raw)
        names = {instruction.opname for instruction in dis.get_instructions(code)}
        for at in range(0, len(raw), 2):
            assert dis.opname[raw[at]] != "UNARY_NEGATIVE"
        return "UNARY_NEGATIVE" in names, code.co_exceptiontable, code.co_stacksize < 10

    print(operations(add.__code__))
    print(add([1, 2, 30]))
"""


def test_who_reads_the_bytecode_of_a_function_sees_no_probe_and_it_is_recorded(record, plain):
    run = record(READER)
    assert run.process.stdout == plain().stdout
    assert run.process.stdout == "(False, b'', True)\n3\n"
    called = [name for name, _ in run.calls() if "<locals>" not in name]
    assert called == ["<module>", "operations", "add"]


def test_a_copy_of_a_function_under_another_name_is_recorded(record, plain):
    run = record("""
        import types
        def f(x):
            return [x + i for i in (1, 2)]
        g = types.FunctionType(f.__code__.replace(co_name="g", co_qualname="g"), globals())
        del f
        print(g(1), g.__code__.co_name)
    """)
    assert run.process.stdout == plain().stdout == "[2, 3] g\n"
    assert [name for name, _ in run.calls()] == ["<module>", "f"]


@pytest.mark.parametrize(
    "copied",
    [
        "f.__code__.replace(co_consts=f.__code__.co_consts + (7,))",
        "f.__code__.replace(co_code=f.__code__.co_code)",
    ],
)
def test_a_changed_copy_runs_right_and_the_trace_says_that_it_is_not_recorded(
    record, plain, copied
):
    run = record(f"""
        import types
        def f(x):
            return [x + i for i in (1, 2)], list(x - i for i in (1, 2))
        def caller():
            return types.FunctionType({copied}, globals())(1)
        print(caller(), f(2))
    """)
    assert run.process.stdout == plain().stdout == "([2, 3], [0, -1]) ([3, 4], [1, 0])\n"
    names = [name for name, _ in run.calls()]
    assert names == ["<module>", "caller", "f.<locals>.<genexpr>", "f", "f.<locals>.<genexpr>"]
    reasons = {module.name: module.reason for module in run.trace.modules()}
    assert "the copy runs unrecorded" in reasons["f()"]
    caller = next(call.id for name, call in run.calls() if name == "caller")
    turns = [event for event in run.events() if event.kind.name == "TURN"]
    assert caller not in [event.call for event in turns]


def test_code_that_is_marshalled_is_plain(record, plain):
    run = record("""
        import marshal, types
        def f(x):
            def g(): return [i for i in range(x)]
            return g()
        code = marshal.loads(marshal.dumps([f.__code__]))[0]
        print(code == f.__code__, types.FunctionType(code, globals())(3), f(2))
    """)
    assert run.process.stdout == plain().stdout == "True [0, 1, 2] [0, 1]\n"
    names = [name for name, _ in run.calls()]
    assert names == ["<module>", "f", "f.<locals>.g"]


def test_an_audit_hook_is_not_told_of_twins(record, plain):
    run = record("""
        import sys
        def f(x):
            return x
        code = f.__code__
        sys.addaudithook(lambda name, args: print(name) if "code" in name or "attr" in name else 0)
        code.co_code, code.co_consts, code.co_exceptiontable, code.co_stacksize, hash(code)
        code.replace(co_name="g")
    """)
    assert run.process.stdout == plain().stdout == "code.__new__\n"


def test_a_function_that_ran_often_shows_its_specialised_instructions(record, plain):
    run = record("""
        import dis
        def f(x):
            text = "a" + x
            return len(text) if text else text.upper()
        for _ in range(100):
            f("b")
        names = [i.opname for i in dis.get_instructions(f, adaptive=True)]
        print([name for name in names if "FAST" not in name and name != "LOAD_CONST"])
    """)
    assert run.process.stdout == plain().stdout
    assert "BINARY_OP_ADD_UNICODE" in run.process.stdout


def test_numba_compiles_a_recorded_function(record, plain, environment):
    pytest.importorskip("numba")
    environment["NUMBA_DISABLE_PERFORMANCE_WARNINGS"] = "1"
    run = record("""
        import numba
        @numba.njit
        def total(n):
            t = 0
            for i in range(n):
                if i % 3 == 0 or i % 5 == 0:
                    t += i
            return t
        def twice(n):
            return 2 * total(n)
        print(twice(1000))
    """)
    assert run.process.stdout == "466336\n", run.process.stderr
    assert "twice" in [name for name, _ in run.calls()]


def test_pony_translates_recorded_generators(record, plain):
    pytest.importorskip("pony")
    run = record("""
        from pony.orm import Database, Required, db_session, flush, select
        db = Database()
        class Person(db.Entity):
            name = Required(str)
            age = Required(int)
        db.bind(provider="sqlite", filename=":memory:")
        db.generate_mapping(create_tables=True)
        def older(limit):
            return select(p.name for p in Person if p.age > limit and p.name != "zed")[:].to_list()
        with db_session:
            for age, name in enumerate(["ann", "bob", "eve"]):
                Person(name=name, age=age)
            flush()
            print(older(0), Person.select(lambda p: p.age == 1 or p.name == "eve").count())
    """)
    assert run.process.stdout == "['bob', 'eve'] 2\n", run.process.stderr
    assert "older" in [name for name, _ in run.calls()]
