"""A recorder for a toy language: it shows that a trace does not depend on Python.

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
    array       take a number n, put an array of n zeros
    get         take an index and an array, put the item
    set         take a number, an index and an array, put the number there
    sort        take an array; code that is not recorded sorts it
"""

from pathlib import Path
from typing import Any

from sleuth.trace.events import EventKind, FunctionRow, SiteRow
from sleuth.trace.store.encode import Segment
from sleuth.trace.store.writer import Writer
from sleuth.trace.values import Atom, Constant, Part, Ref, Value
from tests.toy_flow import flow_of

Program = dict[str, list[str]]


class Array(list[int]):
    """An array of the toy language; it has a number once it was mentioned."""

    number = 0


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
        self.arrays = 0
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
                if word in ("store", "jumpz", "set"):
                    self.sites[name, at] = number = len(self.sites) + 1
                    sites.append(
                        SiteRow(number, self.numbers[name], word, rest, *places[at][1:], 0)
                    )
            line += 1 + len(body)
        writer.add_functions(module, functions)
        writer.add_sites(module, sites)
        flows = [
            flow_of(
                self.numbers[name],
                body,
                functions[at].first_line,
                {place: site for (owner, place), site in self.sites.items() if owner == name},
            )
            for at, (name, body) in enumerate(program.items())
        ]
        writer.add_flows(module, flows)

    def run(  # noqa: C901 - one branch per instruction
        self, name: str, arguments: list[int | Array], place: int | None = None
    ) -> int | Array:
        """Run a procedure."""
        self.segment.enter(self.numbers[name], list(map(self.value, arguments)), place=place)
        variables = {f"a{number}": value for number, value in enumerate(arguments)}
        stack: list[Any] = []
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
                self.segment.at(EventKind.BIND, self.sites[name, here], self.value(value))
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
                self.segment.output(1, f"{stack.pop()}\n", place=here)
            elif word == "fail":
                self.segment.raises(Ref("toy.Error", 1), [Atom(rest[0])], place=here)
                self.segment.unwind(Ref("toy.Error", 1), place=here)
                raise ToyError(rest[0])
            elif word == "array":
                stack.append(Array([0] * stack.pop()))
            elif word == "get":
                index, array = stack.pop(), stack.pop()
                stack.append(array[index])
            elif word == "set":
                number, index, array = stack.pop(), stack.pop(), stack.pop()
                values = self.value(array), Atom(index), Atom(number)
                self.segment.at(EventKind.SET_ITEM, self.sites[name, here], *values)
                array[index] = number
            elif word == "sort":
                array = stack.pop()
                self.value(array)
                array.sort()
                self.segment.changed(2 * array.number, part(array), place=here)
            elif word == "return":
                result: int | Array = stack.pop()
                self.segment.leave(self.value(result))
                self.flush()
                return result
        self.segment.leave(Constant("nil"))
        self.flush()
        return 0

    def value(self, content: int | Array) -> Value:
        """Return what stands for a value; an array is told when it is first mentioned."""
        if not isinstance(content, Array):
            return Atom(content)
        if not content.number:
            self.arrays += 1
            content.number = self.arrays
            self.segment.contents(2 * content.number, part(content))
        return Ref("array", 2 * content.number)

    def flush(self, *, last: bool = False) -> None:
        """Hand over a full segment."""
        if last or len(self.segment.data) > self.limit:
            self.writer.write_segment(self.segments, self.segment.data, closed=True)
            self.segments += 1
            self.segment = Segment(("nil",))


def part(array: Array) -> Part:
    """Return what an array contains."""
    return Part("sequence", tuple(map(Atom, array)), len(array))


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
ARRAYS: Program = {
    "main": [
        "push 3",
        "array",
        "store xs",
        "load xs",
        "push 1",
        "push 7",
        "set",
        "load xs",
        "call order 1",
        "store done",
        "load xs",
        "return",
    ],
    "order": ["load a0", "push 0", "push 9", "set", "load a0", "sort", "push 1", "return"],
}


def record(path: Path, program: Program, arguments: list[int | Array], *, limit: int = 400) -> Path:
    """Run `main` and leave its trace at the path."""
    about = {
        "language": "toy",
        "argv": ["main.toy"],
        "cwd": "/toys",
        "constants": ["nil"],
        "started": "2026-01-02T03:04:05",
        "complete": True,
        "identity": "numbered",
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
