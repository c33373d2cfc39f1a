"""The program sees the same as with `python`; wrong commands are reported before it runs."""

import re
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from sleuth.errors import UsageError
from sleuth.record.launch import interpreter_options, size_in_bytes, split, understood

SELF = """
    import sys, os, __main__
    print(sys.argv, sys.path[0], sys.orig_argv[1:], sys.flags)
    print(sorted(vars(__main__)), __name__, __spec__, __package__, __doc__)
    print(os.getcwd(), sys.stdin.read(), type(__loader__).__name__, globals().get("__file__"))
    print(sys.getrecursionlimit(), sys._getframe().f_back is None, len(sys.path), sys.executable)
"""


def steady(done):
    """What can be compared of two runs: all but addresses."""
    return re.sub("0x[0-9a-f]+", "0x", done.stdout + "\0" + done.stderr), done.returncode


def same(run, other):
    return steady(run.process) == steady(other)


@pytest.mark.parametrize(
    "python",
    [
        (),
        ("-O",),
        ("-OO", "-B"),
        ("-W", "error"),
        ("-X", "dev"),
        ("-P",),
        ("-u", "-X", "utf8"),
        ("-E", "-s"),
    ],
)
def test_a_script_sees_what_plain_python_gives_it(record, plain, python):
    run = record(SELF, "a", "--b", options=("--quiet",), python=python, text="input")
    other = plain("a", "--b", python=python, text="input")
    assert run.process.stdout == other.stdout
    assert same(run, other)


def test_a_module_and_a_command_see_what_plain_python_gives_them(record, plain):
    record(SELF)
    for program in (
        ("-m", "prog"),
        ("-c", "import sys; print(sys.argv, sys.path[0], __name__, sorted(globals()))"),
    ):
        run = record(None, "x", program=program, options=("--quiet",))
        assert same(run, plain("x", program=program)), program


@pytest.mark.parametrize(
    "code",
    [
        "def f(:\n  pass",
        "1 +",
        "x = 'abc",
        "\0",
        "print(1)\n  print(2)",
        "# coding: nonsense\n",
        "def f():\n    return 1/0\nf()",
        "raise SystemExit('bye')",
        "import nothing_like_this",
        "class E(Exception):\n    def __str__(self): raise ValueError\nraise E",
        "import sys\nsys.excepthook = lambda *a: print('hook', a[0].__name__)\n1/0",
        "'é' + 1",
        "x = 1 if 2 is 2 else 3\nprint(x)",
        "del __file__\nprint(__name__)",
        "import warnings; warnings.warn('careful')",
        "exec('1/0')",
    ],
)
def test_errors_look_as_they_do_plain(record, plain, code):
    run = record(code, options=("--quiet",))
    assert same(run, plain())


def test_errors_of_commands_and_modules_look_as_they_do_plain(record, plain, tmp_path):
    record("1/0")
    for program in (("-c", "1/0"), ("-c", "def f(:"), ("-m", "prog"), ("-m", "no.such")):
        run = record(None, program=program, options=("--quiet",))
        assert same(run, plain(program=program)), program


@pytest.mark.parametrize(
    "source",
    [
        b"x = 1 is 1\ny = '\\d'\nreturn 5\n",
        b"# coding: latin-1\nx = '\xe9' is 1\nreturn 5\n",
        b"x = 1\ny = '\xe9'\n",
        b"# coding: nothing\nx = 1\n",
        b"\xef\xbb\xbf# coding: latin-1\nx = 1\n",
        b"x = 1\r\nif x:\r\n  x =\r\n",
        b"x = 1\n\0\n",
        b"x = (1,\n",
    ],
)
def test_what_the_compiler_says_is_said_once(record, plain, tmp_path, source):
    (tmp_path / "work" / "prog.py").write_bytes(source)
    assert same(record(options=("--quiet",)), plain())


def test_modules_of_the_working_folder_are_not_ours_to_import(record, plain, tmp_path):
    for name in ("typing", "glob", "sqlite3", "zlib", "argparse", "ast"):
        (tmp_path / "work" / f"{name}.py").write_text("print('imported', __name__)\n")
    run = record("print(1)", options=("--quiet",))
    assert (run.process.stdout, run.process.stderr) == ("1\n", "")


def test_a_folder_and_a_zip_file_run_as_they_do_plain(record, plain, tmp_path):
    work = tmp_path / "work"
    (work / "app").mkdir()
    (work / "app" / "__main__.py").write_text("import sys; print(sys.argv, sys.path[0])\n1/0")
    with zipfile.ZipFile(work / "app.zip", "w") as archive:
        archive.write(work / "app" / "__main__.py", "__main__.py")
    for program in (("app",), ("app.zip",)):
        run = record(None, "a", program=program, options=("--quiet",))
        assert same(run, plain("a", program=program))


@pytest.mark.slow
@pytest.mark.parametrize("python", [(), ("-P",), ("-I",)])
def test_paths_are_those_that_plain_python_makes(record, plain, tmp_path, python):
    work = tmp_path / "work"
    (work / "app").mkdir()
    for path in (work / "app" / "__main__.py", work / "__main__.py", work / "prog.py"):
        path.write_text("import sys; print(sys.argv, sys.path[:2], __file__)")
    for word in ("./prog.py", ".//prog.py", "app", "./app", "app/", ".", "./"):
        run = record(None, program=(word,), python=python, options=("--quiet",))
        assert same(run, plain(program=(word,), python=python)), word


def test_the_program_imports_nothing_of_ours(record, plain):
    run = record("import sys; print(*sorted(sys.modules), sep='\\n')", options=("--quiet",))
    assert set(run.process.stdout.split()) - set(plain().stdout.split()) == set()


def test_our_lines_go_to_stderr_and_none_when_quiet(record):
    loud = record("print('out')")
    assert loud.process.stdout == "out\n"
    lines = loud.process.stderr.splitlines()
    assert lines
    assert all(line.startswith("sleuth: ") for line in lines)
    assert record("print('out')", options=("--quiet",)).process.stderr == ""


def command(tmp_path, environment, *words):
    return subprocess.run(
        [sys.executable, "-m", "sleuth", "record", *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_traces_go_to_a_private_folder_and_are_never_overwritten(tmp_path, environment):
    (tmp_path / "prog.py").write_text("print(1)")
    for _ in range(3):
        assert command(tmp_path, environment, "prog.py").returncode == 0
    traces = list((tmp_path / ".sleuth").glob("prog-*.trace"))
    assert len(traces) == 3
    assert stat.S_IMODE((tmp_path / ".sleuth").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in traces} == {0o600}
    assert not [
        path for path in (tmp_path / ".sleuth").iterdir() if path.suffix in (".wal", ".shm")
    ]


def test_recordings_that_start_at_once_in_one_folder_all_run(tmp_path, environment):
    (tmp_path / "prog.py").write_text("print(1)")
    command = [sys.executable, "-m", "sleuth", "record", "--quiet", "prog.py"]
    started = [
        subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(5)
    ]
    assert [each.communicate()[0] for each in started] == ["1\n"] * 5
    assert len(list(tmp_path.glob(".sleuth/*.trace"))) == 5


def test_a_program_with_little_memory_is_recorded(tmp_path, environment):
    done = subprocess.run(
        ["sh", "-c", f"ulimit -v 400000; exec {sys.executable} -m sleuth record -c 'print(1)'"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("1\n", 0), done.stderr
    assert "1 call, " in done.stderr


def test_a_recording_that_can_not_start_leaves_no_file(tmp_path, environment):
    done = subprocess.run(
        ["sh", "-c", f"ulimit -n 10; exec {sys.executable} -m sleuth record -c 'print(1)'"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("", 2)
    assert "nothing was run" in done.stderr
    assert list(tmp_path.glob(".sleuth/*.trace*")) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing.py",), "there is no program"),
        (("json",), "write -m json"),
        ((), "The program is missing. Name it, for example: sleuth record prog.py"),
        (("-m",), "needs a module"),
        (("--max-size", "big", "prog.py"), "is no size"),
        (("--output", "there", "prog.py"), "exists already"),
        (("--output", "no/where", "prog.py"), "there is no folder"),
        (("--nonsense", "prog.py"), "unrecognized"),
        (("folder",), "no __main__.py"),
    ],
)
def test_mistakes_are_told_and_nothing_is_run(tmp_path, environment, words, said):
    (tmp_path / "prog.py").write_text("open('ran', 'w')")
    (tmp_path / "there").write_text("precious")
    (tmp_path / "folder").mkdir()
    done = command(tmp_path, environment, *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "ran").exists()
    assert (tmp_path / "there").read_text() == "precious"


def test_a_pattern_that_matches_nothing_is_warned_of(record):
    run = record("pass", options=("--include", "nosuch.module", "--exclude", "other/*"))
    assert "warning: pattern 'nosuch.module' matched no module" in run.process.stderr
    assert "warning: pattern 'other/*' matched no module" in run.process.stderr


def test_everything_after_the_program_is_the_programs():
    assert split(["--quiet", "p.py", "--quiet", "-m"]) == (["--quiet"], ["p.py", "--quiet", "-m"])
    assert split(["--output", "x", "-m", "mod", "-c"]) == (["--output", "x"], ["-m", "mod", "-c"])
    assert split(["--include=a", "--", "-odd.py"]) == (["--include=a"], ["-odd.py"])
    assert split(["-mjson.tool"]) == ([], ["-mjson.tool"])
    assert understood(["-mjson.tool", "x"]).target == "json.tool"


def test_the_interpreters_own_options_hold():
    assert interpreter_options(["py", "-O", "-W", "error", "-Xdev", "-m", "sleuth"]) == [
        "-O",
        "-W",
        "error",
        "-Xdev",
    ]
    assert interpreter_options(["py", "-Bm", "sleuth", "-O"]) == ["-B"]
    assert interpreter_options(["py", "/bin/sleuth", "-O"]) == []


def test_sizes_are_read():
    assert size_in_bytes("10") == 10
    assert size_in_bytes("1.5k") == 1536
    assert size_in_bytes("4GB") == 4 << 30
    with pytest.raises(UsageError):
        size_in_bytes("-1")


def test_calls_only_records_calls_only(record):
    run = record(
        """
        def gen():
            for i in range(2): yield i
        def f(x):
            y = [x]
            if y: return sum(gen())
        f(1)
    """,
        options=("--calls-only",),
    )
    assert [name for name, _ in run.calls()] == ["<module>", "f", "gen"]
    assert {event.kind.name for event in run.events()} == {"ENTER", "RETURN", "SUSPEND", "RESUME"}
    assert run.trace.meta["mode"] == "calls"


def test_pyproject_can_name_patterns(record, tmp_path):
    work = tmp_path / "work"
    (work / "lib").mkdir()
    (work / "lib" / "__init__.py").write_text("def g(): return 1\n")
    (work / "pyproject.toml").write_text('[tool.sleuth]\nexclude = ["lib"]\ninclude = ["json"]\n')
    run = record("import lib, json; lib.g(); json.dumps({})")
    modules = {module.name: (module.is_recorded, module.reason) for module in run.trace.modules()}
    assert modules["lib"] == (False, "excluded by lib")
    assert modules["json"] == (True, "included by json")
    assert modules["json.encoder"][0]
    assert Path(run.path).exists()
