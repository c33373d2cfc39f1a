"""A recorder for a toy language: proof that a trace presumes no Python.

A program is a dict of procedures; a procedure is a list of instructions:

    push 3      put a number on the stack
    load x      put a variable on the stack
    store x     take it into a variable
    add, mul    take two, put one
    call p n    call a procedure with n arguments (its variables a0, a1, ...)
    jump k      go on at instruction k
    jumpz k     take one; if it is zero go on at k
    print       take one, write it
    fail w      throw an error
    return      take one, give it to the caller
"""

from pathlib import Path

from sleuth.trace.encode import Segment
from sleuth.trace.events import EventKind, FunctionRow, SiteRow
from sleuth.trace.values import Atom, Constant, Ref
from sleuth.trace.writer import Writer

Program = dict[str, list[str]]


class ToyError(Exception):
    """What `fail` throws."""


class Machine:
    """Runs a program and records it."""

    def __init__(self, program: Program, writer: Writer, *, limit: int = 400) -> None:
        self.program = program
        self.writer = writer
        self.limit = limit
        """Bytes of a segment."""
        self.numbers = {name: number for number, name in enumerate(program, 1)}
        self.segment = Segment(("nil",))
        self.segments = 0
        text = "".join(
            f"{name}:\n" + "".join(f"  {line}\n" for line in body) for name, body in program.items()
        )
        module = writer.add_module(
            name="toy",
            path="toy.txt",
            recorded=True,
            reason="it is all there is",
            source=text.encode(),
        )
        functions, sites, line = [], [], 1
        self.sites: dict[tuple[str, int], int] = {}
        for name, body in program.items():
            places = [
                (at, line + 1 + at, 2, line + 1 + at, 2 + len(s)) for at, s in enumerate(body)
            ]
            functions.append(
                FunctionRow(
                    self.numbers[name],
                    name,
                    name,
                    "procedure",
                    line,
                    line + len(body),
                    f"{hash(tuple(body)) & 0xFFFF:04x}",
                    ("a0", "a1"),
                    places,
                )
            )
            for at, instruction in enumerate(body):
                word, _, rest = instruction.partition(" ")
                if word in ("store", "jumpz"):
                    self.sites[name, at] = number = len(self.sites) + 1
                    sites.append(
                        SiteRow(number, self.numbers[name], word, rest, *places[at][1:], 0)
                    )
            line += 1 + len(body)
        writer.add_functions(module, functions)
        writer.add_sites(module, sites)

    def run(  # noqa: C901 - one branch per instruction
        self, name: str, arguments: list[int], place: int | None = None
    ) -> int:
        """Run a procedure."""
        self.segment.enter(self.numbers[name], list(map(Atom, arguments)), place=place)
        variables = {f"a{number}": value for number, value in enumerate(arguments)}
        stack: list[int] = []
        at = 0
        while at < len(self.program[name]):
            word, *rest = self.program[name][at].split()
            here, at = at, at + 1
            if word == "push":
                stack.append(int(rest[0]))
            elif word == "load":
                stack.append(variables[rest[0]])
            elif word == "store":
                variables[rest[0]] = value = stack.pop()
                self.segment.at(EventKind.BIND, self.sites[name, here], Atom(value))
            elif word in ("add", "mul"):
                right, left = stack.pop(), stack.pop()
                stack.append(left + right if word == "add" else left * right)
            elif word == "call":
                given = [stack.pop() for _ in range(int(rest[1]))][::-1]
                try:
                    stack.append(self.run(rest[0], given, here))
                except ToyError:
                    self.segment.unwind(Ref("toy.Error", 1), place=here)
                    raise
            elif word == "jump":
                at = int(rest[0])
            elif word == "jumpz" and stack.pop() == 0:
                self.segment.at(EventKind.ARM, self.sites[name, here])
                at = int(rest[0])
            elif word == "print":
                self.segment.at(EventKind.OUTPUT, 1, Atom(f"{stack.pop()}\n"))
            elif word == "fail":
                self.segment.raises(Ref("toy.Error", 1), [Atom(rest[0])], place=here)
                self.segment.unwind(Ref("toy.Error", 1), place=here)
                raise ToyError(rest[0])
            elif word == "return":
                self.segment.leave(Atom(value := stack.pop()))
                self.flush()
                return value
        self.segment.leave(Constant("nil"))
        self.flush()
        return 0

    def flush(self, *, last: bool = False) -> None:
        """Hand over a full segment."""
        if last or len(self.segment.data) > self.limit:
            self.writer.write_segment(self.segments, self.segment.data, closed=True)
            self.segments += 1
            self.segment = Segment(("nil",))


FACTORIAL: Program = {
    "main": [
        "push 5",
        "call fact 1",
        "store result",
        "load result",
        "print",
        "load result",
        "return",
    ],
    "fact": [
        "load a0",
        "jumpz 8",
        "load a0",
        "load a0",
        "push -1",
        "add",
        "call fact 1",
        "jump 10",
        "push 1",
        "return",
        "mul",
        "store f",
        "load f",
        "return",
    ],
}
FAILING: Program = {
    "main": ["push 3", "call check 1", "return"],
    "check": ["load a0", "jumpz 3", "fail not-zero", "push 0", "return"],
}


def record(path: Path, program: Program, arguments: list[int], *, limit: int = 400) -> Path:
    """Run `main` and leave its trace at the path."""
    about = {
        "language": "toy",
        "argv": ["main.toy"],
        "cwd": "/toys",
        "constants": ["nil"],
        "started": "2026-01-02T03:04:05",
        "complete": True,
        "identity": "exact",
    }
    writer = Writer.create(path, about)
    machine = Machine(program, writer, limit=limit)
    status = 0
    try:
        machine.run("main", arguments)
    except ToyError:
        status = 1
    machine.flush(last=True)
    writer.finish({"how": "exited", "status": status})
    return path
