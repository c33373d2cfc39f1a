"""Code that is compiled while the program runs: `exec`, `eval`, `compile`, loaders, reloading."""

import textwrap
import zipfile


def texts(run):
    """Give the name of each call's function with the text of the line that it begins with."""
    trace = run.trace
    found = []
    for call in trace.calls():
        function = trace.function(call.function)
        line = trace.source(function.module).splitlines()[function.first_line - 1]
        found.append((function.qualified_name, line.strip()))
    return found


def reasons(run, path):
    return [module.reason for module in run.trace.modules() if module.path == path]


def test_code_of_exec_and_eval_is_recorded_with_the_text_that_ran(record):
    run = record("""
        ns = {}
        exec("def double(x):\\n    return x * 2\\ny = double(4)", ns)
        print(eval("double(y) + 1", ns))
        exec(b"z = double(1)", ns)
    """)
    assert run.process.stdout == "17\n"
    assert texts(run)[1:] == [
        ("<module>", "def double(x):"),
        ("double", "def double(x):"),
        ("<module>", "double(y) + 1"),
        ("double", "def double(x):"),
        ("<module>", "z = double(1)"),
        ("double", "def double(x):"),
    ]
    kinds = [run.trace.function(call.function).kind for _, call in run.calls()]
    assert kinds[1], kinds[3] == ("code body", "expression")
    assert reasons(run, "<string>") == 3 * [
        "compiled while the program ran, by code that is recorded"
    ]


def test_what_compiled_code_does_is_told(record):
    run = record("""
        code = '''
        total = 0
        for each in given:
            if each > 1:
                total += each
        '''
        import textwrap
        exec(textwrap.dedent(code), {"given": [1, 2, 3]})
    """)
    told = run.told()
    assert "bind class total 5 5" in told
    assert told.count("turn for each 3 3") == 1
    assert sum(each.startswith("arm if 4") for each in told) == 2


def test_the_same_text_is_one_text_however_often_it_is_compiled(record):
    run = record("""
        x = 1
        for i in range(50):
            eval("x + 1")
            exec(compile("y = x", "<rule>", "exec"))
    """)
    assert len(reasons(run, "<string>")) == len(reasons(run, "<rule>")) == 1
    assert [name for name, _ in run.calls()] == 101 * ["<module>"]


def test_of_very_many_different_texts_some_are_recorded_and_the_trace_says_so(record):
    run = record("""
        for i in range(3000):
            assert eval(f"{i} + 1") == i + 1
    """)
    told = reasons(run, "<string>")
    plain = [each for each in told if "some ran plain" in each]
    assert len(plain) == 1
    assert 200 < len(told) < 1000
    assert run.trace.call_count == len(told)  # the program itself is a call, the remark is none


def test_code_that_the_library_compiles_is_not_recorded(record):
    run = record("""
        import collections, dataclasses
        P = collections.namedtuple("P", "x y")
        @dataclasses.dataclass
        class D:
            a: int
        P(1, 2), D(3)
    """)
    assert [name for name, _ in run.calls()] == ["<module>", "D"]


def test_each_run_of_a_code_object_has_variables_of_its_own(record):
    run = record("""
        code = compile("if first:\\n    seen = 1\\nhere = 2\\n", "<rule>", "exec")
        for first in (True, False):
            exec(code, {"first": first})
    """)
    trace = run.trace
    one, two = [call for _, call in run.calls()][1:]
    assert set(trace.variables(one, one.last)) == {"seen", "here"}
    assert set(trace.variables(two, two.last)) == {"here"}


def test_globals_that_compiled_code_sets_are_those_of_the_module(record):
    run = record("""
        counter = 0
        def add():
            exec("global counter\\ncounter = 7")
        exec("counter = 3")
        def read():
            return counter
        read()
        add()
        read()
    """)
    trace = run.trace
    values = [
        trace.globals(trace.function(call.function).module, call.last)["counter"].content
        for name, call in run.calls()
        if name == "read"
    ]
    assert values == [3, 7]


def test_modules_from_archives_are_recorded_under_the_rules_for_files(record, tmp_path):
    with zipfile.ZipFile(tmp_path / "work" / "z.zip", "w") as archive:
        archive.writestr("pkg/__init__.py", "")
        archive.writestr("pkg/inner.py", "count = 0\ndef f():\n    global count\n    count += 1\n")
    (tmp_path / "other").mkdir()
    with zipfile.ZipFile(tmp_path / "other" / "y.zip", "w") as archive:
        archive.writestr("outside.py", "def g(): pass\n")
    run = record(f"""
        import sys
        sys.path += ["z.zip", {str(tmp_path / "other" / "y.zip")!r}]
        import pkg.inner, outside
        pkg.inner.f()
        outside.g()
    """)
    modules = {module.name: module for module in run.trace.modules()}
    assert modules["pkg.inner"].is_recorded
    assert modules["pkg.inner"].reason.startswith("in the project folder")
    assert modules["outside"].reason.startswith("outside of the project folder")
    assert [name for name, _ in run.calls()] == ["<module>"] * 3 + ["f"]
    last = run.calls()[-1][1]
    assert run.trace.globals(modules["pkg.inner"], last.last)["count"].content == 1


LOADER = """
    import importlib.abc, importlib.machinery, sys
    SOURCE = "def f():\\n    return 'made'\\n"
    class Whole(importlib.abc.SourceLoader):
        def get_data(self, path): return SOURCE.encode()
        def get_filename(self, name): return name + ".gen"
    class Own(importlib.abc.Loader):
        def create_module(self, spec): return None
        def exec_module(self, module):
            exec(compile(SOURCE, "<own>", "exec"), module.__dict__)
    class Finder(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path, target=None):
            loader = {"whole": Whole, "own": Own}.get(name)
            return loader and importlib.machinery.ModuleSpec(name, loader())
    sys.meta_path.insert(0, Finder())
    import whole, own
    print(whole.f(), own.f())
"""


def test_modules_of_loaders_that_compile_in_their_own_way_are_recorded(record, tmp_path):
    (tmp_path / "work" / "whole.gen").write_text("")
    run = record(LOADER)
    assert run.process.stdout == "made made\n", run.process.stderr
    assert texts(run).count(("f", "def f():")) == 2
    assert [module.path for module in run.trace.modules() if module.name == "whole"] == [
        "whole.gen"
    ]


def test_what_runpy_runs_is_recorded(record, tmp_path):
    (tmp_path / "work" / "mod.py").write_text("def f(): return __name__\nf()\n")
    run = record("""
        import runpy
        runpy.run_path("mod.py")
        runpy.run_path("mod.py", run_name="other")
        runpy.run_module("mod", run_name="third")
    """)
    trace = run.trace
    results = [trace.result(call).content for name, call in run.calls() if name == "f"]
    assert results == ["<run_path>", "other", "third"]


def test_after_a_reload_each_call_shows_the_text_that_it_ran(record, tmp_path):
    (tmp_path / "work" / "mod.py").write_text("x = 1\ndef f(): return 'old'\n")
    run = record("""
        import importlib, mod, os
        old = mod.f
        old()
        with open("mod.py", "w") as file:
            file.write("def f(): return 'edited'\\n")
        importlib.reload(mod)
        mod.f()
        old()
    """)
    assert [each for each in texts(run) if each[0] == "f"] == [
        ("f", "def f(): return 'old'"),
        ("f", "def f(): return 'edited'"),
        ("f", "def f(): return 'old'"),
    ]


def test_replaced_functions_show_the_text_that_they_run(record):
    run = record("""
        class C:
            def f(self): return 1
        def other(self): return 2
        def third(self): return 3
        c = C()
        c.f()
        C.f = other
        c.f()
        other.__code__ = third.__code__
        c.f()
        other.__code__ = compile("def made(self): return 4", "<new>", "exec").co_consts[0]
        c.f()
    """)
    trace = run.trace
    calls = [call for name, call in run.calls() if "self" in texts(run)[call.id][1]]
    assert [trace.result(call).content for call in calls] == [1, 2, 3, 4]
    assert [texts(run)[call.id][1][-1] for call in calls] == ["1", "2", "3", "4"]


TREE = """
    import ast, linecache, sys
    SOURCE = "def f(x):\\n    return x + 1\\n"
    tree = ast.parse(SOURCE)
    tree.body[0].body[0].value.op = ast.Sub()
    linecache.cache["<known>"] = (len(SOURCE), None, SOURCE.splitlines(True), "<known>")
    for name in ("<known>", "<unknown>"):
        ns = {}
        exec(compile(tree, name, "exec"), ns)
        print(ns["f"](5))
"""


def test_a_tree_is_recorded_as_it_is_with_the_source_that_is_known(record):
    run = record(TREE)
    assert run.process.stdout == "4\n4\n"
    assert texts(run)[1:] == [("<module>", "def f(x):"), ("f", "def f(x):")]
    assert "its source is not known" in reasons(run, "<unknown>")[0]


def test_a_tree_with_the_name_of_a_recorded_file_is_recorded_whoever_compiles_it(record, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "checked.py").write_text(
        textwrap.dedent("""
            import ast, inspect
            def checked(function):
                tree = ast.parse(inspect.getsource(inspect.getmodule(function)))
                name, file = function.__name__, function.__code__.co_filename
                [found] = [each for each in tree.body if getattr(each, "name", "") == name]
                found.decorator_list = []
                tree.body = [found]
                names = {}
                exec(compile(tree, file, "exec"), function.__globals__, names)
                return names[name]
        """)
    )
    run = record(f"""
        import sys
        sys.path.append({str(outside)!r})
        from checked import checked
        count = 0
        @checked
        def f(x):
            global count
            count += 1
            return x
        f(3)
    """)
    trace = run.trace
    assert run.process.returncode == 0, run.process.stderr
    [call] = [call for name, call in run.calls() if name == "f"]
    assert trace.arguments(call)[0].content == 3
    assert trace.source(trace.function(call.function).module).count("def f(x)") == 1
    [main] = [module for module in trace.modules() if module.name == "__main__"]
    assert trace.globals(main, trace.event_count)["count"].content == 1
