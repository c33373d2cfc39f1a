"""The operations of small functions, and the sources of their values."""

import json
import sys

import pytest

from sleuth.record.rewrite import rewrite
from sleuth.trace.flow.table import Flow, unpacked
from sleuth.trace.store.writer import to_json


def flow_of(source: str, name: str = "f") -> Flow:
    made = rewrite(source, "x.py", source)
    numbers = {each.qualified_name: each.id for each in made.functions}
    flow = made.flows[numbers[name]]
    assert flow.function == numbers[name]
    row = [
        flow.function,
        flow.statements,
        flow.steps_from(1),
        flow.loops_from(1),
        flow.parameters,
        flow.operations_from(100),
    ]
    return unpacked(json.loads(to_json(row)))


def told(flow: Flow, number: int, output: int = 0) -> str:
    """Return an operation and its inputs as one line of text."""
    each = flow.operations[number]
    given = [
        (role, " | ".join(told(flow, *source) for source in made)) for role, made in each.inputs
    ]
    if each.kind == "constant":
        return repr(each.value)
    if each.kind == "read":
        return each.name
    if each.kind == "attribute":
        return f"{given[0][1]}.{each.name}" + ("'s object" if output else "")
    name = each.name
    if each.kind in ("call", "compute", "make", "unpack"):
        name = name and f" {name}"
    elif name:
        name = f" {name}"
    if each.kind in ("function", "class"):
        name = f"{name} {each.value}"
    text = ", ".join(f"{role}={value}" for role, value in given)
    return f"{each.kind}{name}({text})" + (f"[{output}]" if output else "")


def ends(source: str, name: str = "f", *, only: str = "") -> list[str]:
    """Return all operations that are no inputs of others, in the order of the source."""
    flow = flow_of(source, name)
    used = {
        source.operation
        for each in flow.operations
        for given in each.inputs
        for source in given.made
    }
    found = []
    for number in range(len(flow.operations)):
        text = told(flow, number)
        if number not in used and text not in found and text != "return(value=None)":
            found.append(text)
    return [text for text in found if text.startswith(only)]


def body(*lines: str) -> str:
    return "def f(a, b, c):\n" + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "x = a + b * 2",
            "store x(value=compute +(operand=a, operand=compute *(operand=b, operand=2)))",
        ),
        ("x = -a", "store x(value=compute -(operand=a))"),
        ("x = not a", "store x(value=compute not(operand=a))"),
        ("x = a is not b", "store x(value=compute is not(operand=a, operand=b))"),
        ("x = a not in b", "store x(value=compute not in(operand=a, operand=b))"),
        ("x = a <= b", "store x(value=compute <=(operand=a, operand=b))"),
        ("x = a[b]", "store x(value=item(object=a, key=b))"),
        ("x = a[b:c]", "store x(value=slice(object=a, start=b, stop=c))"),
        ("x = a[b:c:2]", "store x(value=slice(object=a, start=b, stop=c, step=2))"),
        ("a[b:] = c", "store item(value=c, object=a, start=b, stop=None)"),
        ("a[b] = c", "store item(value=c, object=a, key=b)"),
        ("del a[b]", "delete item(object=a, key=b)"),
        ("a.b.c = b", "store attribute c(value=b, object=a.b)"),
        ("del a.b", "delete attribute b(object=a)"),
        ("del a", "delete a()"),
        ("a += b", "store a(value=compute +=(operand=a, operand=b))"),
        (
            "a.n += b",
            "store attribute n(value=compute +=(operand=a.n, operand=b), object=a)",
        ),
        (
            "a[b] -= c",
            (
                "store item(value=compute -=(operand=item(object=a, key=b), operand=c), "
                "object=a, key=b)"
            ),
        ),
        ("g(a, 2)", "call(callee=g, position=a, position=2)"),
        ("g(a, k=b, m=c)", "call k,m(callee=g, position=a, name=b, name=c)"),
        ("a.go(b)", "call(callee=a.go, receiver=a.go's object, position=b)"),
        ("a.go(b, k=1)", "call k(callee=a.go, receiver=a.go's object, position=b, name=1)"),
        ("g(*a)", "call(callee=g, *=a)"),
        ("g(*a, **b)", "call(callee=g, *=a, **=make mapping())"),
        ("x = [a, b]", "store x(value=make list(item=a, item=b))"),
        ("x = (a, b)", "store x(value=make tuple(item=a, item=b))"),
        ("x = {a: b}", "store x(value=make mapping(key=a, item=b))"),
        ("x = {a, b}", "store x(value=make set(item=a, item=b))"),
        ("return a", "return(value=a)"),
        ("raise a from b", "raise(value=a, cause=b)"),
        ("yield a", "yield(value=a)"),
        ("x = yield a", "store x(value=yield(value=a))"),
        ("x = yield from a", "store x(value=wait(value=a))"),
        ("import os.path", "store os(value=import os.path())"),
        ("x = b'ab'", "store x(value={'bytes': '6162'})"),
        ("x = ...", "store x(value={'constant': 'Ellipsis'})"),
    ],
)
def test_one_line(line: str, expected: str) -> None:
    assert expected in ends(body(line))


def test_of_and_and_or_the_last_operand_that_ran_is_the_value() -> None:
    (store,) = ends(body("x = a and b or c"), only="store")
    assert store in ("store x(value=a | b | c)", "store x(value=b | c)")
    branches = ends(body("x = a and b or c"), only="branch")
    assert branches[0] == "branch(condition=a)"
    # Some versions test again what they have tested.
    assert branches[1] in ("branch(condition=b)", "branch(condition=a | b)")


def test_a_conditional_expression_is_one_of_two() -> None:
    found = ends(body("x = b if a else c", "return x"))
    assert found == [
        "branch(condition=a)",
        "store x(value=b | c)",
        "return(value=x)",
    ]


def test_a_chain_of_comparisons_is_one_of_them() -> None:
    found = ends(body("x = a < b < c", "return x"))
    first, second = (
        "compute <(operand=a, operand=b)",
        "compute <(operand=b, operand=c)",
    )
    assert found == [
        f"branch(condition={first})",
        f"store x(value={first} | {second})",
        "return(value=x)",
    ]


@pytest.mark.parametrize(
    ("made", "kind", "added"),
    [("[i + a for i in b]", "list", ""), ("{i + a for i in b}", "set", "")],
)
def test_a_comprehension_adds_to_what_it_makes(made: str, kind: str, added: str) -> None:
    found = ends(body(f"x = {made}"))
    assert f"store x(value=make {kind}())" in found
    assert "store i(value=next(iterator=iterate(what=b)))" in found
    add = f"add(container=make {kind}(), what=compute +(operand=i, operand=a))"
    assert add in found


def test_a_mapping_is_made_with_keys() -> None:
    found = ends(body("x = {i: a for i in b}"))
    assert "add(container=make mapping(), key=i, what=a)" in found


def test_variables_of_comprehensions_are_none_of_the_function() -> None:
    flow = flow_of(body("x = [([b for b in a], b) for b in a if c]", "return b"))
    scopes = [
        (each.name, each.scope)
        for each in sorted(flow.operations, key=lambda each: each.span.column if each.span else 0)
        if each.kind in ("store", "read") and each.name in "abc"
    ]
    assert set(scopes) >= {("b", "inner"), ("b", "inner 2"), ("b", "local")}
    assert [scope for name, scope in scopes if name == "b"].count("local") == 1


def test_a_star_takes_what_is_left() -> None:
    found = ends(body("x, *y, z = a"))
    unpack = "unpack *1(whole=a)"
    assert found == [
        f"store x(value={unpack})",
        f"store y(value={unpack}[1])",
        f"store z(value={unpack}[2])",
    ]


def test_swapped_variables_get_each_others_values() -> None:
    assert set(ends(body("a, b = b, a"))) == {"store a(value=b)", "store b(value=a)"}


def test_a_text_with_values_in_it_is_made_of_them() -> None:
    (store,) = ends(body("x = f'{a}: {b!r:>{c}}'"), only="store")
    value = "compute format(operand=a), item=': '"
    converted = "compute format(operand=compute !r(operand=b), format="
    assert store.startswith(f"store x(value=make text(item={value}, item={converted}")
    assert "compute format(operand=c)" in store


def test_a_manager_is_entered_and_left() -> None:
    found = ends(body("with a as b:", "    g()"))
    enter = "enter(manager=a)"
    assert found[:3] == [f"store b(value={enter})", "call(callee=g)", f"leave(manager={enter}[1])"]
    assert f"branch(condition=leave(manager={enter}[1], exception=caught()))" in found


def test_an_exception_is_caught_and_its_name_forgotten() -> None:
    found = ends(body("try:", "    g()", "except E as e:", "    h(e)"))
    assert found == [
        "call(callee=g)",
        "branch(condition=compute except(operand=caught(), class=E))",
        "store e(value=caught())",
        "call(callee=h, position=e)",
        "delete e()",
    ]


def test_copies_of_a_finally_are_one_operation() -> None:
    flow = flow_of(body("try:", "    return g()", "finally:", "    h(a < b < c)"))
    calls = [each for each in flow.operations if each.kind == "call"]
    assert len(calls) == 2
    copies = [step for step in flow.steps if flow.operations.index(calls[1]) in step.operations]
    assert len(copies) >= 2
    assert [len(given.made) for given in calls[1].inputs] == [1, 2]


def test_what_is_awaited_gives_its_result() -> None:
    source = "async def f(a):\n    x = await a\n    async for i in a:\n        g(i)\n"
    found = ends(source)
    assert "store x(value=wait(value=a))" in found
    assert "store i(value=wait(value=next(iterator=iterate(what=a))))" in found


def test_a_loop_takes_items() -> None:
    found = ends(body("for i, j in a:", "    b = j"))
    unpack = "unpack(whole=next(iterator=iterate(what=a)))"
    assert found == [f"store i(value={unpack})", f"store j(value={unpack}[1])", "store b(value=j)"]


def test_functions_are_made_with_their_defaults_and_decorated() -> None:
    source = body("@b", "def g(x, y=a, *, k=1):", "    return c", "return g")
    made = rewrite(source, "x.py", source)
    number = next(each.id for each in made.functions if each.name == "g")
    (store,) = ends(source, only="store")
    keywords = ("item=1, keys={'tuple': ['k']}", "key='k', item=1")
    assert store in [
        f"store g(value=call(callee=b, position=function g {number + 100}("
        f"defaults=make tuple(item=a), keyword defaults=make mapping({each}))))"
        for each in keywords
    ]
    reads = [each for each in flow_of(source, "f.<locals>.g").operations if each.kind == "read"]
    assert [(each.name, each.scope) for each in reads] == [("c", "cell")]


def test_a_class_is_made_of_its_bases() -> None:
    source = "class A(B, metaclass=M):\n    n = 1\n    def g(self):\n        return __class__\n"
    made = rewrite(source, "x.py", source)
    number = next(each.id for each in made.functions if each.name == "A")
    assert ends(source, "<module>", only="store") == [
        f"store A(value=class metaclass {number + 100}(base=B, name=M))"
    ]
    assert [text[:7] for text in ends(source, "A", only="store")] == ["store n", "store g"]


def test_names_are_imported_from_a_module() -> None:
    found = ends(body("from ..a import b as x, c"), only="store")
    assert found == [
        "store x(value=import b(module=import ..a()))",
        "store c(value=import c(module=import ..a()))",
    ]


def test_scopes() -> None:
    source = body("global g", "g = len", "def h():", "    nonlocal a", "    a = b")
    flow = flow_of(source, "f.<locals>.h")
    assert [(each.kind, each.name, each.scope) for each in flow.operations[:2]] == [
        ("read", "b", "cell"),
        ("store", "a", "cell"),
    ]
    flow = flow_of(source)
    found = {(each.kind, each.name, each.scope) for each in flow.operations}
    assert found >= {("read", "len", "global"), ("store", "g", "global")}
    flow = flow_of("class A:\n    n = 1\n    m = n\n", "A")
    assert ("read", "n", "class") in {
        (each.kind, each.name, each.scope) for each in flow.operations
    }


def test_parameters_say_what_they_take() -> None:
    flow = flow_of("def f(a, /, b, *c, d, **e): pass")
    assert flow.parameters == ("plain", "plain", "keyword", "collects positions", "collects names")


def test_operations_know_their_statement_and_their_place() -> None:
    flow = flow_of(body("x = a", "if x:", "    g(x)"))
    call = next(each for each in flow.operations if each.kind == "call")
    assert flow.statements[call.statement].span.line == 4
    assert call.span is not None
    assert (call.span.line, call.span.column, call.span.end_column) == (4, 8, 12)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="older versions look super() up by itself")
def test_super_reads_the_object_itself() -> None:
    source = "class A:\n    def g(self):\n        return super().g(1)\n"
    (text,) = ends(source, "A.g", only="return")
    found = "call(callee=super, position=__class__, position=self).g"
    assert text == (f"return(value=call(callee={found}, receiver={found}'s object, position=1))")
