"""The choice of recorded modules; importing them looks the same as without Sleuth."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from sleuth.record.scope import Pattern, Scope, installed, project_folder


def decided(run):
    return {module.name: (module.is_recorded, module.reason) for module in run.trace.modules()}


def test_modules_of_the_project_are_recorded_and_the_rest_says_why_not(record, tmp_path):
    work = tmp_path / "work"
    (work / "pkg").mkdir()
    (work / "pkg" / "__init__.py").write_text("")
    (work / "pkg" / "inner.py").write_text("def f(): return 1\n")
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "outside.py").write_text("x = 1\n")
    with zipfile.ZipFile(work / "z.zip", "w") as archive:
        archive.writestr("zipped.py", "y = 2\n")
    run = record(f"""
        import sys
        sys.path += [{str(other)!r}, "z.zip"]
        import json, pkg.inner, outside, zipped, _json, math
        pkg.inner.f()
    """)
    modules = decided(run)
    assert modules["__main__"] == (True, "the program itself")
    assert modules["pkg.inner"][0]
    assert modules["json"] == (False, "part of the standard library")
    assert modules["outside"][1].startswith("outside of the project folder")
    assert modules["zipped"][0]
    assert modules["_json"][0] is False
    assert "sys" in modules
    assert [name for name, _ in run.calls()] == [*4 * ["<module>"], "f"]


def test_a_trace_can_be_read_without_the_program(record, tmp_path):
    run = record("x = 'é'\n")
    (tmp_path / "work" / "prog.py").unlink()
    assert list(run.trace.sources().values()) == ["x = 'é'\n"]


def test_the_program_decides_about_pycache_as_plain(record, plain, tmp_path, environment):
    del environment["PYTHONDONTWRITEBYTECODE"]
    work = tmp_path / "work"
    (work / "mod.py").write_text("def f(): return 1\n")
    record("import mod; mod.f(); print(mod.__cached__, mod.__spec__.loader.__class__)")
    first = {path.name: path.read_bytes() for path in (work / "__pycache__").iterdir()}
    for path in (work / "__pycache__").iterdir():
        path.unlink()
    plain()
    assert {path.name: path.read_bytes() for path in (work / "__pycache__").iterdir()} == first


def test_a_second_run_takes_the_code_from_our_cache_and_is_the_same(record, environment):
    first = record("def f(x):\n    return [x for _ in range(2)]\nf(1)\n")
    assert list(Path(environment["XDG_CACHE_HOME"]).rglob("*.bin"))
    second = record(None)
    assert [name for name, _ in first.calls()] == [name for name, _ in second.calls()]
    assert len(first.events()) == len(second.events())


def test_a_module_with_a_text_like_our_placeholders_is_left_plain(record):
    run = record("x = '\\0sleuth:5'\nprint(len(x))")
    assert run.process.stdout == "9\n"
    assert "placeholder" in decided(run)["__main__"][1]


def test_deep_expressions_are_recorded(record, plain):
    run = record("x = " + "+".join(["1"] * 1000) + "\nprint(x)\n")
    assert run.process.stdout == "1000\n"
    assert decided(run)["__main__"][0]


def test_reloaded_modules_are_recorded_again(record, tmp_path):
    (tmp_path / "work" / "mod.py").write_text("def f(): return 1\nf()\n")
    run = record("import mod, importlib; importlib.reload(mod); mod.f()")
    assert [name for name, _ in run.calls()].count("f") == 3


def test_a_program_that_imports_itself_is_two_modules(record):
    run = record("""
        def f(): return __name__
        if __name__ == "__main__":
            import prog
            prog.f(), f()
    """)
    trace = run.trace
    told = {
        (trace.function(call.function).module.name, trace.result(call).content)
        for name, call in run.calls()
        if name == "f"
    }
    assert told == {("__main__", "__main__"), ("prog", "prog")}


def test_hostile_objects_are_recorded_without_running_their_code(record):
    run = record("""
        class Meta(type):
            def __getattribute__(cls, name): print("meta"); return super().__getattribute__(name)
        class Hostile(metaclass=Meta):
            def __getattribute__(self, name): print("get", name); return None
            def __repr__(self): print("repr"); return ""
            def __eq__(self, other): print("eq"); return True
            def __hash__(self): print("hash"); return 1
            def __bool__(self): print("bool"); return True
            @property
            def __class__(self): print("class"); return int
        class Text(str):
            def __len__(self): print("len"); return 1
            def __hash__(self): print("hash"); return 1
        def f(value, *rest, **more):
            local = value
            return local
        x = f(Hostile(), Text("t" * 100), k=Hostile())
        y = [f(x)]
    """)
    assert run.process.stdout == ""
    assert run.process.returncode == 0
    call = next(call for name, call in run.calls() if name == "f")
    assert run.trace.arguments(call)[0].type_name == "__main__.Hostile"


PYTEST_FILE = """
import pytest

def add(a, b):
    return a + b

@pytest.fixture
def five():
    return 5

def test_good(five):
    assert add(2, 3) == five

def test_bad():
    assert add([1], [2]) == [1, 3], "a message"

@pytest.mark.parametrize("n", [1, 2])
def test_each(n):
    assert n < 2
"""


@pytest.mark.slow
def test_pytest_rewrites_asserts_of_recorded_tests_with_the_same_messages(
    record, plain, tmp_path, environment
):
    del environment["PYTHONDONTWRITEBYTECODE"]
    work = tmp_path / "work"
    (work / "test_it.py").write_text(PYTEST_FILE)
    program = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py")
    run = record(None, program=program, options=("--quiet",))
    assert not list(work.glob("__pycache__/test_it*")), "never written in recorded form"
    other = plain(program=program)
    assert [*work.glob("__pycache__/test_it*")]
    again = record(None, program=program, options=("--quiet",))

    def lines(done):
        return done.stdout.rpartition(" in ")[0]

    assert lines(run.process) == lines(other) == lines(again.process)
    assert "assert [1, 2] == [1, 3]" in run.process.stdout
    assert run.process.returncode == 1
    for each in (run, again):
        assert [name for name, _ in each.calls()].count("add") == 2
        assert decided(each)["test_it"][0]


def test_patterns_are_modules_or_paths(tmp_path):
    def matches(text, name, path):
        return Pattern(text, tmp_path).matches(name, path)

    here = str(tmp_path)
    assert matches("pkg", "pkg", "")
    assert matches("pkg", "pkg.sub.deep", "")
    assert not matches("pkg", "pkgs", "")
    assert matches("a.py", "m", f"{here}/a.py")
    assert matches("lib/", "m", f"{here}/lib/deep/a.py")
    assert matches("./lib", "m", f"{here}/lib/a.py")
    assert matches("*_test.py", "m", f"{here}/x/y_test.py")
    assert matches("lib/*.py", "m", f"{here}/lib/a.py")
    assert not matches("lib/*.py", "m", f"{here}/other/a.py")


def test_exclude_wins_over_include_and_both_over_the_rest(tmp_path):
    scope = Scope(
        tmp_path, include=[Pattern("json", tmp_path)], exclude=[Pattern("json.tool", tmp_path)]
    )
    path = str(Path(os.__file__).parent / "json" / "x.py")
    assert scope.decide("json.decoder", path) == (True, "included by json")
    assert scope.decide("json.tool", path) == (False, "excluded by json.tool")
    assert scope.decide("email", path) == (False, "part of the standard library")
    assert scope.unmatched() == []


def test_the_module_that_is_run_is_recorded_unless_it_is_installed(tmp_path):
    scope = Scope(tmp_path / "elsewhere", package="pkg")
    assert scope.decide("pkg.sub", str(tmp_path / "pkg/sub.py"))[0]
    assert not scope.decide("pkg.sub", "/x/site-packages/pkg/sub.py")[0]


def test_what_lies_in_a_virtual_environment_is_installed(tmp_path):
    (tmp_path / "env" / "src").mkdir(parents=True)
    (tmp_path / "env" / "pyvenv.cfg").write_text("")
    assert installed(str(tmp_path / "env" / "src" / "a.py")) == "installed in a virtual environment"
    assert installed("/x/dist-packages/a.py") == "an installed package"
    assert installed(str(tmp_path / "a.py")) == ""


def test_the_project_is_the_nearest_folder_that_looks_like_one(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text("")
    assert project_folder(tmp_path / "a" / "b") == tmp_path / "a"


@pytest.mark.parametrize("python", [("-O",), ("-OO",)])
def test_optimised_code_stays_optimised(record, plain, python):
    run = record(
        """
        def f():
            "doc"
            assert False
            return f.__doc__, __debug__
        print(f())
    """,
        python=python,
        options=("--quiet",),
    )
    assert run.process.stdout == plain(python=python).stdout


def test_code_of_a_recorded_function_can_be_pickled_and_needs_nothing_of_ours(record):
    run = record("""
        import marshal, pickle, subprocess, sys
        def f(x):
            y = x + 1
            return y
        print(pickle.dumps(f.__code__.co_consts) == pickle.dumps((None, 1)))
        data = marshal.dumps(f.__code__)
        code = "import marshal, sys; sys.modules['sleuth'] = None; "
        code += f"f = lambda: 0; f.__code__ = marshal.loads({data!r}); print(f(6))"
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        print(ran.stdout.split()[-1])
    """)
    assert run.process.stdout.split() == ["True", "7"]


def test_a_sleuth_inside_of_a_recorded_program_does_no_harm(record):
    run = record("import sleuth, subprocess; print(sleuth.__version__ != '')")
    assert run.process.stdout == "True\n"
    assert subprocess.run([sys.executable, "-c", "import sleuth"], check=False).returncode == 0


def test_a_task_that_claims_to_be_asyncios_own_is_not_asked_for_its_name(record):
    run = record("""
        import asyncio
        class Mine(asyncio.Task):
            def get_name(self): print("asked")
        Mine.__name__ = "_asyncio.Task"
        async def step(): await asyncio.sleep(0)
        async def main(): await Mine(step(), loop=asyncio.get_running_loop())
        asyncio.run(main())
    """)
    assert run.process.stdout == ""
