"""A trace whose texts all try to control the terminal, and in which much is missing."""

from pathlib import Path

from sleuth.trace.events import EventKind, FunctionRow, SiteRow
from sleuth.trace.numbers import EnterFlag
from sleuth.trace.reader import Trace
from sleuth.trace.store.encode import Segment
from sleuth.trace.store.writer import Writer
from sleuth.trace.values import ABSENT, Atom, Constant, Cut, NotKept, Part, Ref

EVIL = "\x1b]0;owned\x07\x1b[2J\u202e\r日本"


def hostile(path: Path) -> Trace:
    """Write such a trace."""
    about = {"argv": [EVIL], "cwd": "/w", "identity": "numbered", "language": "Python"}
    writer = Writer.create(path, about)
    source = f"def {EVIL}(x):\n    x.y = '{EVIL}'\n    return x\n".encode()
    module = writer.add_module(
        name=EVIL, path=f"/w/{EVIL}.py", recorded=True, reason="it is", source=source
    )
    rows = [
        FunctionRow(1, EVIL, EVIL, "function", 1, 3, "ab", (EVIL, "self"), [(4, 2, 4, 2, 9)]),
        FunctionRow(2, "g", f"C.{EVIL}", "generator", 1, 3, "cd", ("return",), []),
        FunctionRow(3, "__init__", f"{EVIL}.__init__", "function", 1, 3, "ef", ("self",), []),
        FunctionRow(4, "__add__", "A.__add__", "function", 90, 95, "ef", ("self", "o"), []),
        FunctionRow(5, "<module>", "<module>", "module body", 1, 3, "aa", (), []),
    ]
    writer.add_functions(module, rows)
    writer.add_sites(
        module,
        [
            SiteRow(1, 1, "attribute", EVIL, 2, 4, 2, 9, 0),
            SiteRow(2, 5, "global", EVIL, 1, 0, 1, 2, 0),
            SiteRow(3, 1, "if", "", 0, 0, 0, 0, 0),
        ],
    )
    thing, many = Ref(f"m.{EVIL}", 2), Ref("list", 4)
    s = Segment(("None",))
    s.enter(5, [])
    s.contents(2, Part("attributes", (Atom(EVIL), many), 2, (Atom(EVIL), Atom("y"))))
    s.contents(4, Part("sequence", (Atom(1), thing), 70_000, (), False))
    s.at(EventKind.BIND, 2, thing)
    s.enter(1, [thing, Cut("text", 99999, 7, EVIL), Atom(EVIL), many], place=4)
    s.at(EventKind.SET_ATTRIBUTE, 1, thing, Atom(f"new{EVIL}"))
    s.at(EventKind.OUTPUT, 1, Atom(f"out{EVIL}\nsecond"))
    s.at(EventKind.OUTPUT, 2, Atom(EVIL))
    s.unsure(4)
    s.raises(Ref(f"E{EVIL}", 6), [Atom(EVIL), NotKept(EVIL)], place=4)
    s.unwind(Ref(f"E{EVIL}", 6), place=4)
    s.enter(2, [NotKept(EVIL)], flags=EnterFlag.DEFERRED, place=4)
    s.resume(2)
    s.suspend(Atom(EVIL))
    s.resume(2, Atom(EVIL))
    s.suspend(thing)
    s.enter(3, [thing], place=4)
    s.leave(Constant("None"))
    s.enter(4, [thing, thing])
    s.leave(Atom("x" * 60_000))
    s.enter(1, [ABSENT])
    writer.write_segment(0, s.data, closed=True)
    writer.finish({"how": EVIL})
    return Trace(path)
