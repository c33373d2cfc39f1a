"""Recorded contents of objects: who changed them, and what is hidden or cut."""

import json
import re
import textwrap

import pytest

from sleuth.trace.values import Atom, NotKept
from sleuth.views import cli


def entered(run, name):
    for each, call in run.calls():
        if each == name:
            return run.trace, call
    raise AssertionError(name)


def parts(trace, ref, at):
    return {part.kind: part for part in trace.shape(ref, at).parts}


def texts(part):
    return [getattr(item, "content", item) for item in part.items]


LIST = [
    "{v}.append(9)",
    "{v}.extend([9])",
    "{v}.extend(iter([9]))",
    "{v}.insert(1, 9)",
    "{v}.pop()",
    "{v}.pop(0)",
    "{v}.remove(1)",
    "{v}.clear()",
    "{v}.sort(reverse=True)",
    "{v}.reverse()",
    "{v}[0] = 9",
    "{v}[-1] = 9",
    "{v}[:1] = [8, 9]",
    "{v}[::2] = [8, 9]",
    "del {v}[0]",
    "del {v}[:1]",
    "del {v}[::2]",
    "{v} += [9]",
    "{v} *= 2",
    "operator.setitem({v}, 0, 9)",
    "operator.delitem({v}, 0)",
    "operator.iadd({v}, [9])",
    "operator.iconcat({v}, [9])",
    "operator.imul({v}, 2)",
    "heapq.heappush({v}, 0)",
    "heapq.heappop({v})",
    "heapq.heapify({v})",
    "bisect.insort({v}, 2)",
    "random.shuffle({v})",
    "{v}.__setitem__(0, 9)",
    "{v}.__delitem__(0)",
    "{v}.__iadd__([9])",
    "list.append({v}, 9)",
]
DICT = [
    "{v}['n'] = 9",
    "{v}['a'] = 9",
    "del {v}['a']",
    "{v}.update(n=9)",
    "{v}.update({{'n': 9}})",
    "{v}.pop('a')",
    "{v}.popitem()",
    "{v}.setdefault('n', 9)",
    "{v}.clear()",
    "{v} |= {{'n': 9}}",
    "operator.setitem({v}, 'n', 9)",
    "operator.delitem({v}, 'a')",
    "{v}.__setitem__('n', 9)",
    "{v}[1] = 9",
    "{v}[2.5] = 9",
    "dict.update({v}, n=9)",
]
SET = [
    "{v}.add(9)",
    "{v}.discard(1)",
    "{v}.remove(1)",
    "{v}.pop()",
    "{v}.clear()",
    "{v}.update([9])",
    "{v}.difference_update([1])",
    "{v}.intersection_update([1])",
    "{v}.symmetric_difference_update([1, 9])",
    "{v} |= {{9}}",
    "{v} &= {{1}}",
    "{v} -= {{1}}",
    "{v} ^= {{1, 9}}",
    "operator.ior({v}, {{9}})",
]
DEQUE = [
    "{v}.append(9)",
    "{v}.appendleft(9)",
    "{v}.pop()",
    "{v}.popleft()",
    "{v}.extend([9])",
    "{v}.extendleft([9])",
    "{v}.rotate(1)",
    "{v}.reverse()",
    "{v}.remove(1)",
    "{v}.insert(1, 9)",
    "{v}.clear()",
    "{v}[0] = 9",
    "del {v}[0]",
    "{v} += [9]",
    "{v} *= 2",
]
BYTES = [
    "{v}.append(9)",
    "{v}.extend(b'xy')",
    "{v}.insert(0, 9)",
    "{v}.pop()",
    "{v}.remove(97)",
    "{v}.clear()",
    "{v}.reverse()",
    "{v}[0] = 9",
    "{v}[:1] = b'xyz'",
    "del {v}[0]",
    "{v} += b'z'",
    "{v} *= 2",
]
OBJECT = [
    "{v}.a = 9",
    "{v}.n = 9",
    "del {v}.a",
    "setattr({v}, 'n', 9)",
    "delattr({v}, 'a')",
    "{v}.a += 9",
    "object.__setattr__({v}, 'n', 9)",
    "{v}.__dict__['n'] = 9",
    "vars({v})['n'] = 9",
    "{v}.__dict__.update(n=9)",
    "{v}.__setattr__('n', 9)",
]
MAKERS = {
    "[1, 5, 3]": LIST,
    "{'a': 1, 'b': 2}": DICT,
    "{1, 2, 3}": SET,
    "collections.deque([1, 2, 3])": DEQUE,
    "bytearray(b'abc')": BYTES,
    "C()": OBJECT,
}
WAYS = {
    "directly": "    {s}",
    "through an alias": "    w = v\n    {w}",
    "in a comprehension": "    [0 for _ in (1,) if not act(v)]",
    "by an expression in a comprehension": "    [{s} for _ in (1,)]",
    "by a method kept in a variable": "    m = v.{method}\n    m({rest})",
    "by a function that is not recorded": "    lib.do(lambda: None, v) or lib.act(v)",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("maker", MAKERS)
def test_every_change_of_a_builtin_object_is_known_after_the_call_that_made_it(
    record, tmp_path, maker, way
):
    (tmp_path / "outside").mkdir()
    library = ["import operator, heapq, bisect, random", "def do(f, v): f()"]
    program = [
        "import collections, operator, heapq, bisect, random, sys, json",
        f"sys.path.insert(0, {str(tmp_path / 'outside')!r})",
        "import lib",
        "class C:",
        "    def __init__(self): self.a = 1; self.b = 2",
        "out = []",
        "def note(v):",
        "    if isinstance(v, C): out.append(sorted(v.__dict__.items()))",
        "    elif isinstance(v, dict): out.append(list(v.items()))",
        "    else: out.append(list(v))",
    ]
    for number, statement in enumerate(MAKERS[maker]):
        body = statement.format(v="v")
        library.append(f"def act{number}(v):\n    {body}")
        method = re.fullmatch(r"v\.(\w+)\((.*)\)", body)
        if ("expression" in way or "method" in way) and not method:
            continue
        name, rest = method.groups() if method else ("", "")
        line = WAYS[way].format(s=body, w=statement.format(v="w"), method=name, rest=rest)
        line = line.replace("lib.act(", f"lib.act{number}(").replace("act(v)", f"act{number}(v)", 1)
        if way == "in a comprehension":
            program.append(f"def act{number}(v):\n    {body}")
        program += [
            f"def f{number}(v):",
            "    random.seed(3)",
            line,
            f"v = {maker}",
            f"f{number}(v)",
            "note(v)",
        ]
    program.append("print(repr(out))")
    (tmp_path / "outside" / "lib.py").write_text("\n".join(library))
    run = record("\n".join(program))
    assert run.process.returncode == 0, run.process.stderr
    wanted = eval(run.process.stdout)
    trace = run.trace
    calls = {name: call for name, call in run.calls() if name[0] == "f" and name[1:].isdigit()}
    assert len(calls) == len(wanted) >= 1
    for (name, call), expected in zip(calls.items(), wanted, strict=True):
        statement = MAKERS[maker][int(name[1:])]
        shape = trace.shape(trace.arguments(call)[0], call.last)
        part = shape.parts[0]
        if part.kind in ("mapping", "attributes"):
            found = [(key.content, item.content) for key, item in part.pairs]
            found = sorted(found) if part.kind == "attributes" else found
        elif part.kind == "bytes":
            found = list(part.items[0].content)
        else:
            found = [item.content for item in part.items]
        if part.kind == "set":
            assert set(found) == set(expected), (statement, way)
        else:
            assert found == expected, (statement, way)
        assert shape.is_sure


def test_changes_are_told_as_paths_with_who_made_them(record):
    run = record("""
        class Line:
            def __init__(self, price): self.price = price
        class Cart:
            def __init__(self): self.lines = [Line(20), Line(30)]; self.total = 0
        def apply(cart, log):
            cart.lines[0].price = 18
            cart.total += 48
            log.append("done")
            log.sort()
        apply(Cart(), ["x"])
    """)
    trace, call = entered(run, "apply")
    changes = {change.path: (change.old, change.new) for change in trace.changed(call).changes}
    assert changes["cart.lines[0].price"][0].content == 20
    assert changes["cart.lines[0].price"][1].content == 18
    assert changes["cart.total"][1].content == 48
    assert any(path.startswith("log") for path in changes)


def test_values_under_secret_names_never_reach_the_trace(record):
    run = record("""
        class User:
            def __init__(self, password): self.password = password; self.name = "eva"
        def login(user, api_key="K3Y-VALUE"):
            Authorization = user.password
            headers = {"Set-Cookie": user.password, "plain": 1}
            headers["X-Api-Key"] = api_key
            for secret in [user.password]: pass
            return headers
        login(User("hunter2-hunter2"))
        login(User("hunter2-hunter2"))
        login(User("another"))
    """)
    texts = []
    for event in run.events():
        texts += [repr(value) for value in event.values]
    trace = run.trace
    for call in trace.calls():
        for value in trace.arguments(call):
            if hasattr(value, "id"):
                texts.append(repr(trace.shape(value, call.last)))
    assert "hunter2" not in " ".join(texts)
    assert "K3Y-VALUE" not in " ".join(texts)
    hidden = [
        value.reason
        for event in run.events()
        for value in event.values
        if "hidden str of length 15" in getattr(value, "reason", "")
    ]
    assert len(set(hidden)) == 1, "equal values have equal tags"
    assert "values with names like password are hidden" in run.process.stderr
    assert trace.meta["hidden_values"] > 0


def test_the_list_of_secret_names_and_the_limits_can_be_changed(record, tmp_path):
    (tmp_path / "work" / "pyproject.toml").write_text(
        '[tool.sleuth]\nsecrets = ["pin"]\nmax_items = 3\nmax_text = 100\n'
    )
    run = record("""
        def f(password, pin, items, text): pass
        f("seen", "1234", [1, 2, 3, 4, 5], "t" * 200)
    """)
    trace, call = entered(run, "f")
    password, pin, items, text = trace.arguments(call)
    assert password.content == "seen"
    assert "hidden" in pin.reason
    part = parts(trace, items, call.first)["sequence"]
    assert (texts(part), part.full_length, part.is_complete) == ([1, 2, 3], 5, False)
    assert (text.length, text.kept) == (200, "t" * 100)


def test_both_halves_of_a_subclass_of_a_builtin_are_kept(record):
    run = record("""
        class L(list): pass
        def f(l): l.extra = 1
        l = L([1, 2]); f(l)
    """)
    trace, call = entered(run, "f")
    found = parts(trace, trace.arguments(call)[0], call.last)
    assert texts(found["sequence"]) == [1, 2]
    assert [key.content for key, _ in found["attributes"].pairs] == ["extra"]


def test_objects_that_stand_for_others_say_for_which(record):
    run = record("""
        from functools import partial
        def look(*seen): pass
        names = {"a": 1}
        look(range(2, 9, 3), names.keys(), partial(look, 1), enumerate([5]), map(look, [6], [7]))
        def many():
            return [len(str(iter([i]))) + len(range(i)) for i in range(50)]
        many()
    """)
    trace, call = entered(run, "look")
    (seen,) = trace.arguments(call)
    numbers, keys, part, pairs, mapped = parts(trace, seen, call.first)["sequence"].items
    at = call.first

    def held(ref):
        assert not ref.id & 1, "it is known for sure which object it is"
        return {key.content: item for key, item in parts(trace, ref, at)["attributes"].pairs}

    assert {name: item.content for name, item in held(numbers).items()} == {
        "start": 2,
        "stop": 9,
        "step": 3,
    }
    assert texts(parts(trace, held(keys)["of"], at)["mapping"]) == [1]
    assert set(held(part)) == {"func", "args", "keywords"}
    assert texts(parts(trace, held(part)["args"], at)["sequence"]) == [1]
    assert texts(parts(trace, held(held(pairs)["over"])["over"], at)["sequence"]) == [5]
    assert held(mapped)["function"].type_name == "function"
    assert len(parts(trace, held(mapped)["over"], at)["sequence"].items) == 2


def test_class_attributes_are_kept(record):
    run = record("""
        class C:
            count = 1
            def method(self): pass
        def f(c): c.count += 1
        f(C)
    """)
    trace, call = entered(run, "f")
    ref = trace.arguments(call)[0]
    before = parts(trace, ref, call.first)["attributes"]
    after = parts(trace, ref, call.last)["attributes"]
    assert [(k.content, v.content) for k, v in before.pairs] == [("count", 1)]
    assert [(k.content, v.content) for k, v in after.pairs] == [("count", 2)]


def test_looking_at_a_large_list_again_and_again_costs_no_quadratic_time(record):
    run = record(
        """
        import json
        big = list(range(100_000))
        class Odd: pass
        def f(x): return len(x)
        for i in range(20_000):
            big[i] = -1
            json.dumps(1)
            f(big)
        print("done")
    """,
        timeout=120,
    )
    assert run.process.stdout == "done\n"
    assert run.path.stat().st_size < 60_000_000


def test_deeply_nested_and_cyclic_objects_are_described(record):
    run = record("""
        def f(x): pass
        deep = x = []
        for _ in range(3000): x.append([]); x = x[0]
        f(deep)
        loop = []; loop.append(loop); f(loop)
        while deep: deep = deep.pop()
    """)
    assert run.process.returncode == 0
    trace, call = entered(run, "f")
    ref, depth = trace.arguments(call)[0], 0
    while True:
        items = parts(trace, ref, call.first)["sequence"].items
        if not items:
            break
        ref, depth = items[0], depth + 1
    assert depth == 3000


def test_without_contents_nothing_is_claimed_about_what_objects_contain(record, tmp_path):
    (tmp_path / "work" / "pyproject.toml").write_text("[tool.sleuth]\ncontents = false\n")
    run = record("""
        def f(xs, d):
            xs.append(3)
            d["k"] = 2
        xs = [1]
        f(xs, {})
    """)
    trace, call = entered(run, "f")
    assert not trace.has_contents
    assert trace.shape(trace.arguments(call)[0], call.last) is None
    found = trace.changed(call)
    assert (found.changes, found.same) == ((), ())


CLOSURES = """
    def counter(start):
        n, log = start, []
        def step(by=1):
            nonlocal n
            n += by
            log.append(n)
            return n
        def reset():
            nonlocal n
            del n
        return step, reset
    a, _ = counter(5)
    b, forget = counter(7)
    a(); b(2); a(3); forget()
"""


def test_a_call_knows_what_it_shares_with_the_function_around_it(record):
    run = record(CLOSURES)
    trace = run.trace
    steps = [call for name, call in run.calls() if name.endswith("step")]
    seen = [(trace.closure(step, step.first), trace.closure(step, step.last)) for step in steps]
    assert [(before["n"].content, after["n"].content) for before, after in seen] == [
        (5, 6),
        (7, 9),
        (6, 9),
    ]
    logs = [after["log"] for _, after in seen]
    assert logs[0] == logs[2] != logs[1]
    assert trace.arguments(steps[0]) == (Atom(1),)


def test_what_a_call_changes_in_its_closure_is_told(record):
    run = record(CLOSURES)
    steps = [call for name, call in run.calls() if name.endswith("step")]
    told = [change.path for change in run.trace.changed(steps[2]).changes]
    assert told == ["n", "log[1]"]


def test_a_shared_variable_that_is_deleted_is_gone(record):
    run = record(CLOSURES)
    reset = next(call for name, call in run.calls() if name.endswith("reset"))
    assert "n" in run.trace.closure(reset, reset.first)
    assert "n" not in run.trace.closure(reset, reset.last)


def test_the_variables_of_a_call_are_right_after_others_have_set_them(record):
    run = record("""
        def outer(depth):
            n = depth
            def add():
                nonlocal n
                n += 10
            if depth:
                outer(depth - 1)
                add()
            return n
        outer(1)
    """)
    trace, call = entered(run, "outer")
    assert trace.variables(call, call.last)["n"] == Atom(11)


def test_functions_name_the_globals_and_free_variables_that_they_read(record):
    run = record("""
        rate = 2
        def f(x):
            y = rate
            return len([rate * i for i in range(x)])
        f(1)
    """)
    trace, call = entered(run, "f")
    function = trace.function(call.function)
    assert ("rate", 4) in function.uses
    assert {name for name, _ in function.uses} == {"rate", "len", "range"}


def test_secrets_that_closures_share_are_hidden(record):
    run = record("""
        def outer(password):
            def inner():
                nonlocal password
                password += "x"
                return len(password)
            return inner()
        outer("hunter2")
    """)
    trace = run.trace
    inner = next(call for name, call in run.calls() if name.endswith("inner"))
    assert isinstance(trace.closure(inner, inner.first)["password"], NotKept)
    assert b"hunter2" not in run.path.read_bytes()
    assert not [event for event in run.events() if "hunter2" in repr(event.values)]


def test_a_dictionary_that_makes_missing_items_is_looked_at_when_calls_begin_and_end(record):
    run = record("""
        import collections
        def f(): pass
        found = collections.defaultdict(list)
        found["a"]
        f()
    """)
    trace, call = entered(run, "f")
    ref = trace.globals(trace.function(call.function).module, call.first)["found"]
    assert [key.content for key in parts(trace, ref, call.first)["mapping"].keys] == ["a"]


def test_what_a_bound_method_or_an_iterator_leads_to_is_looked_at(record):
    run = record("""
        import functools
        def f(): pass
        xs, ys = [1], [2]
        class Kept(list): pass
        zs = Kept()
        list(map(zs.append, [3]))
        f()
        functools.partial(zs.append, 4)()
        f()
    """)
    first, second = [call for name, call in run.calls() if name == "f"]
    trace = run.trace
    ref = trace.globals(trace.function(first.function).module, first.first)["zs"]
    assert texts(parts(trace, ref, first.first)["sequence"]) == [3]
    assert texts(parts(trace, ref, second.first)["sequence"]) == [3, 4]


def test_an_object_that_is_written_very_often_is_described_again(record):
    run = record("""
        class Box: pass
        def step(box, i):
            box.total = i
            box.items[i % 20] = i
            box.grown.append(i)
            if len(box.grown) > 30:
                box.grown.clear()
        box = Box()
        box.items, box.grown, box.rare = [0] * 20, [], 1
        for i in range(5000):
            step(box, i)
    """)
    trace = run.trace
    step = [call for name, call in run.calls() if name == "step"][-1]
    ref = trace.arguments(step)[0]
    attributes = parts(trace, ref, step.last)["attributes"]
    held = dict(zip([key.content for key in attributes.keys], attributes.items, strict=True))
    assert (held["total"].content, held["rare"].content) == (4999, 1)
    assert texts(parts(trace, held["items"], step.last)["sequence"]) == list(range(4980, 5000))
    grown: list[int] = []
    for i in range(5000):
        grown.append(i)
        if len(grown) > 30:
            grown.clear()
    assert texts(parts(trace, held["grown"], step.last)["sequence"]) == grown
    for holder in (ref, held["items"], held["grown"]):
        is_whole, told = trace._heap.since_whole(holder.id, 0, step.last)
        assert is_whole
        assert len(told) < 600


def test_the_cause_of_a_change_long_ago_is_found(record):
    run = record("""
        def early(box): box["rare"] = 2
        def step(box, i): box["often"] = i
        def both(box):
            early(box)
            for i in range(20000):
                step(box, i)
        both({"rare": 1, "often": 0})
    """)
    trace, call = entered(run, "both")
    _, early = entered(run, "early")
    causes = {change.path: change.cause for change in trace.changed(call).changes}
    assert causes["box['rare']"].call == early.id
    assert causes["box['often']"].call == trace.call_count - 1


SETTINGS = """
    from math import *
    limit = 3
    def use(): return limit
    def grow():
        global limit
        limit += 1
"""


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        ("settings.limit = 5", 5),
        ("setattr(settings, 'limit', 6)", 6),
        ("settings.__dict__['limit'] = 7", 7),
        ("vars(settings).update(limit=8)", 8),
        ("mock.patch('settings.limit', 9).start()", 9),
        ("settings.grow()", 4),
        ("settings.grow(); settings.limit = 1; settings.grow()", 2),
        ("del settings.limit; settings.limit = 10", 10),
    ],
)
def test_a_global_is_known_whoever_sets_it(record, tmp_path, way, expected):
    (tmp_path / "work" / "settings.py").write_text(textwrap.dedent(SETTINGS))
    run = record(f"from unittest import mock\nimport settings\n{way}\nsettings.use()\n")
    trace, call = entered(run, "use")
    module = trace.function(call.function).module
    for at in (call.first, call.last):
        found = trace.globals(module, at)
        assert found["limit"] == Atom(expected) == trace.result(call)
        assert "sqrt" in found


def test_a_global_that_others_delete_is_gone(record):
    run = record("""
        def f(): pass
        there = 1
        f()
        globals().pop("there")
        f()
    """)
    trace = run.trace
    first, second = [call for name, call in run.calls() if name == "f"]
    module = trace.function(first.function).module
    assert "there" in trace.globals(module, first.first)
    assert "there" not in trace.globals(module, second.first)


def test_a_secret_global_is_hidden_whoever_sets_it(record):
    run = record("""
        def f(): pass
        globals().update(password="hunter2", other=1)
        f()
    """)
    trace, call = entered(run, "f")
    found = trace.globals(trace.function(call.function).module, call.first)
    assert isinstance(found["password"], NotKept)
    assert found["other"] == Atom(1)
    assert not [event for event in run.events() if "hunter2" in repr(event.values)]


def test_show_tells_what_a_call_shares_with_the_function_around_it(record, capsys):
    run = record(CLOSURES)
    step = [call for name, call in run.calls() if name.endswith("step")][1]
    assert cli.main(["show", str(run.path), "--call", str(step.id)]) == 0
    text = capsys.readouterr().out
    assert "used       n = 7" in text
    assert "changed    n: 7 -> 9" in text
    assert cli.main(["show", str(run.path), "--call", str(step.id), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["closure"]["n"]["value"] == 7
    assert [change["path"] for change in document["changed"]["changes"]] == ["n", "log[0]"]


def test_changes_of_what_is_not_kept_are_seen(record, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "lib.py").write_text(
        "def change(xs): xs[40] = 5\ndef look(xs): return len(xs)\ndef put(d): d[40] = None\n"
    )
    (tmp_path / "work" / "pyproject.toml").write_text("[tool.sleuth]\nmax_items = 10\n")
    run = record(f"""
        import sys
        sys.path.insert(0, {str(tmp_path / "outside")!r})
        import lib
        def look(xs): lib.look(xs)
        def change(xs): lib.change(xs)
        def store(xs): xs[30] = -1; xs[-1] = -2
        def put(d): lib.put(d)
        def set_key(d): d["k"] = 1
        xs, d = list(range(50)), dict.fromkeys(range(50), 0)
        look(xs); change(xs); store(xs); put(d); set_key(d)
    """)
    told = {}
    for name in ("look", "change", "store", "put", "set_key"):
        trace, call = entered(run, name)
        difference = trace.changed(call)
        assert any(path in ("xs", "d") for path, _, _ in difference.not_kept)
        told[name] = [change.path for change in difference.changes]
    assert told["look"] == []
    assert told["change"] == ["hash(xs)"]
    assert told["store"] == ["xs[30]", "xs[49]"]
    assert told["put"] == ["hash(d)"]
    assert told["set_key"] == ["d['k']"]


def test_the_body_of_a_class_makes_its_own_variables_alone(record):
    run = record("""
        def make(i):
            class A:
                n = i
            return A
        make(1)
    """)
    trace, body = entered(run, "make.<locals>.A")
    assert [change.path for change in trace.changed(body).changes] == ["n"]


def test_classes_are_told_apart_though_addresses_are_used_again(record):
    run = record("""
        import gc
        def f(kind): pass
        for i in range(30):
            f(type("Made", (), {}))
            gc.collect()
    """)
    ids = [run.trace.arguments(call)[0].id for name, call in run.calls() if name == "f"]
    assert len(set(ids)) == 30
    assert not [number for number in ids if number % 2]


def test_what_a_library_has_built_is_known_however_deep_it_goes(record, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "lib.py").write_text(
        "def build(k):\n    head = None\n    for i in range(k): head = [i, head]\n    return head\n"
    )
    run = record(f"""
        import sys
        sys.path.insert(0, {str(tmp_path / "outside")!r})
        import lib
        def look(head): pass
        look(lib.build(20_000))
    """)
    trace, call = entered(run, "look")
    ref, depth = trace.arguments(call)[0], 0
    while hasattr(ref, "id"):
        ref = parts(trace, ref, call.first)["sequence"].items[1]
        depth += 1
    assert depth == 20_000


def test_a_member_of_an_enumeration_has_its_contents(record):
    run = record("""
        import enum
        class Color(enum.Enum):
            GREEN = [2]
        def paint(color): color.value.append(3)
        paint(Color.GREEN)
    """)
    trace, call = entered(run, "paint")
    assert [change.path for change in trace.changed(call).changes] == ["color._value_[1]"]


def test_a_dict_at_the_address_of_an_object_that_died_unnoticed_has_a_certain_number(record):
    trace = record(
        """
        import itertools
        def see(thing):
            return None
        def drop(found, key):
            del found[key]
        def main():
            others = [
                other for n in range(400) for other in (itertools.count(n), iter([n]), zip([n]))
            ]
            for other in others:
                see(other)
            del other, others
            found = [{n: 0, -1: 0} for n in range(600)]
            for n, each in enumerate(found):
                drop(each, n)
        main()
        """
    ).trace
    dropped = [call for call in trace.calls() if trace.function(call.function).name == "drop"]
    given = [trace.event(call.first).values[0] for call in dropped]
    assert len(given) == 600
    # The death of a dictionary is always noticed, whatever object was at its address before.
    assert not any(ref.id & 1 for ref in given)
