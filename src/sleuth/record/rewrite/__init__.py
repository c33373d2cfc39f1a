"""Turns source text into code with placeholders for probes; reads and writes no file.

Two steps.  Before compilation `syntax.py` puts markers into the tree where arms and turns begin.
After compilation `weaver.py` inserts all other probes between the instructions (`bytecode.py`).
The program's own instructions all stay, in their order and with their positions.  `twins.py`
describes the code as it is without markers and probes.
"""

import ast
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import CodeType

from sleuth.record.rewrite import syntax as syntax_module
from sleuth.record.rewrite import twins
from sleuth.record.rewrite.checks import Row as Check
from sleuth.record.rewrite.compiling import OF_MODULES, Compiling, Namespace
from sleuth.record.rewrite.flow.statements import Statements
from sleuth.record.rewrite.flow.steps import Woven
from sleuth.record.rewrite.flow.table import Flow, flow_of
from sleuth.record.rewrite.flow.wording import Wordings
from sleuth.record.rewrite.names_read import names_read
from sleuth.record.rewrite.probes import Site, Table
from sleuth.record.rewrite.syntax import Loop, Syntax
from sleuth.record.rewrite.weaver import COMPREHENSION_NAMES, Weaver

COMPILERS_CELLS = frozenset({"__class__", "__classdict__"})
MOST_CELLS = 4096
"""The most variables shared with closures that are recorded per function; the same in `given.h`."""


class LeftPlain(Exception):
    """The code has to run unchanged; the text says why."""


@dataclass(slots=True)
class Function:
    """A code object that is recorded as calls; ids count from 0 in each module."""

    id: int
    name: str
    qualified_name: str
    kind: str
    first_line: int
    last_line: int
    identity: str
    parameters: tuple[str, ...]
    places: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    """Place, line, column, end line, end column."""
    cells: tuple[str, ...] = ()
    """Variables that closures share, in the order of the frame."""
    free: tuple[str, ...] = ()
    """Variables of enclosing functions that this function uses."""
    uses: list[tuple[str, int]] = field(default_factory=list)
    """Globals and free variables that the function reads: name and line."""


@dataclass(slots=True)
class Rewritten:
    """A module's code with placeholders, and the tables that go with it."""

    code: CodeType
    probes: bytes
    functions: list[Function]
    sites: list[tuple[int, int, str, str, int, int, int, int, int]]
    """Id, function, kind, name, line, column, end line, end column, enclosing loop + 1."""
    checks: list[Check] = field(default_factory=list)
    """The checks of a test module."""
    twins: bytes = b""
    """The twins of all code objects, outer ones first; see `twins.py`."""
    flows: list[Flow] = field(default_factory=list)
    """The shape of each function's code; none if only calls are recorded."""


def _nothing_is_secret(_name: str) -> bool:
    return False


def rewrite(  # noqa: PLR0913 - each is an option of the caller
    source: bytes | str | ast.mod,
    path: str,
    text: str,
    *,
    full: bool = True,
    contents: bool = True,
    is_secret: Callable[[str], bool] = _nothing_is_secret,
    written: ast.Module | None = None,
    how: Compiling = OF_MODULES,
) -> Rewritten:
    """Rewrite a module, or other code; `text` is its decoded source.

    `written` is the tree of the text if `source` is another tree: pytest changes the asserts of a
    test module before it is compiled.
    """
    tree = source if isinstance(source, ast.mod) else how.parsed(source, path)
    if syntax_module.has_own_prefix(tree):
        raise LeftPlain("it contains a text that looks like one of Sleuth's placeholders")
    syntax = syntax_module.study(tree)
    # Made before the markers are: they would count as statements.
    wordings = Wordings(written or _module(tree), text, Statements(tree)) if full else None
    plain = how.compiled(tree, path)
    code = plain
    if full:
        syntax_module.mark(tree, syntax)
        code = how.compiled(tree, path)
    table = Table(syntax, full, is_secret, contents, how.namespace)
    work = _Work(syntax, table, text.splitlines(), how)
    code = work.rewritten(code, plain, None, 0)
    made = Rewritten(code, b"".join(work.table.probes), work.functions, work.packed_sites())
    made.twins = b"".join(work.twins)
    if wordings is not None:
        numbers = {id(woven.code): number for number, woven in work.woven.items()}
        made.flows = [
            flow_of(number, woven, work.table, wordings, numbers)
            for number, woven in sorted(work.woven.items())
        ]
    return made


def _module(tree: ast.mod) -> ast.Module:
    """Return a tree as an `ast.Module`: with its statements, or its expression as a statement."""
    if isinstance(tree, ast.Expression):
        return ast.Module([ast.copy_location(ast.Expr(tree.body), tree.body)], [])
    return tree if isinstance(tree, ast.Module) else ast.Module(getattr(tree, "body", []), [])


class _Work:
    """The rewriting of one module."""

    def __init__(
        self, syntax: Syntax, table: Table, lines: list[str], how: Compiling = OF_MODULES
    ) -> None:
        self.syntax = syntax
        self.how = how
        self.table = table
        self.lines = lines
        self.functions: list[Function] = []
        self.next_place: dict[int, int] = {}
        self.woven: dict[int, Woven] = {}
        """The rewritten code of each function, by its number."""
        self._parts: list[list[Woven]] = [[]]
        """A stack: the comprehensions found so far in the code being rewritten, innermost last."""
        self.twins: list[bytes] = []

    def rewritten(
        self, code: CodeType, plain: CodeType | None, owner: int | None, depth: int
    ) -> CodeType:
        """Rewrite a code object and those inside it; `owner` is the enclosing function."""
        number = len(self.twins)
        self.twins.append(twins.NONE)
        is_known = depth == 0 or (code.co_name, code.co_firstlineno) in self.syntax.ends
        if not is_known:
            # A hidden scope of type parameters or aliases, evaluated lazily: it gets no probes.
            return code.replace(co_consts=tuple(self._inner(code, plain, owner, depth)))
        if code.co_name in COMPREHENSION_NAMES and owner is not None:
            function = owner
        else:
            function = self._add_function(code)
        base = self.next_place.get(function, 0)
        self.next_place[function] = base + len(code.co_code)  # times 4: leaves room for the probes
        weaver = Weaver(code, self.table, function, base * 4)
        self.functions[function].uses += names_read(code, weaver.edit.instructions)
        self._parts.append([])
        woven = weaver.woven(self._inner(code, plain, function, depth))
        whole = Woven(woven, base * 4, self._parts.pop(), self._is_module(code))
        if function == owner:
            self._parts[-1].append(whole)
        else:
            self.woven[function] = whole
        if plain is not None:
            self.twins[number] = twins.twin(plain, weaver.edit, code)
        self._add_places(woven, function, base * 4)
        self.functions[function].places.sort()  # those of inner comprehensions were added first
        return woven

    def _inner(
        self, code: CodeType, plain: CodeType | None, owner: int | None, depth: int
    ) -> list[object]:
        """Return the constants of a code object, with rewritten code objects among them."""
        plains = iter(twins.inner(plain, code))
        return [
            self.rewritten(const, next(plains), owner, depth + 1)
            if isinstance(const, CodeType)
            else const
            for const in code.co_consts
        ]

    def _add_function(self, code: CodeType) -> int:
        is_module = code.co_name == "<module>"
        first = 1 if is_module else code.co_firstlineno
        last = len(self.lines) if is_module else self.syntax.ends[code.co_name, first]
        text = "\n".join(self.lines[first - 1 : last])
        identity = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()
        number = len(self.functions)
        self.functions.append(
            Function(
                number,
                code.co_name,
                code.co_qualname,
                _kind(code, self.how),
                first,
                last,
                identity,
                _parameters(code),
                cells=_cells(code, is_module=self._is_module(code)) if self.table.contents else (),
                free=_named(code.co_freevars),
            )
        )
        return number

    def _is_module(self, code: CodeType) -> bool:
        return code.co_name == "<module>" and self.how.namespace is not Namespace.OWN

    def _add_places(self, code: CodeType, function: int, base: int) -> None:
        """Add the span of each instruction; neighbours with the same span share an entry."""
        places = self.functions[function].places
        previous = None
        for unit, (line, end_line, column, end_column) in enumerate(code.co_positions()):
            if line is None or end_line is None or column is None or end_column is None:
                continue
            span = line, column, end_line, end_column
            if span != previous:
                places.append((base + unit, *span))
                previous = span

    def packed_sites(self) -> list[tuple[int, int, str, str, int, int, int, int, int]]:
        """Return the sites as rows, each with its enclosing loop."""
        inner: dict[int, list[Site]] = {}
        for site in self.table.sites:
            if site.loop is not None:
                inner.setdefault(site.function, []).append(site)
        return [
            (
                site.id,
                site.function,
                site.kind,
                site.name,
                *site.span,
                _enclosing(site, inner.get(site.function, ())),
            )
            for site in self.table.sites
        ]


def _enclosing(site: Site, loops: Sequence[Site]) -> int:
    """Find the innermost loop around a site: its id + 1, or 0."""
    around = [each for each in loops if each.loop is not None and _is_around(each.loop, site)]
    if not around:
        return 0
    return max(around, key=_start).id + 1


def _start(site: Site) -> tuple[int, int]:
    return site.span[:2]


def _is_around(loop: Loop, site: Site) -> bool:
    if loop == site.loop:
        return False
    if site.loop is not None and site.loop.body == loop.body:
        # Loops of one comprehension: the later one is inside the earlier one.
        return loop.span[:2] < site.loop.span[:2]
    # Stores into the loop's own variables belong to the turn, so the target counts as inside.
    return any(
        place[:2] <= site.span[:2] and site.span[2:] <= place[2:]
        for place in (loop.body, loop.target)
        if place is not None
    )


def _kind(code: CodeType, how: Compiling) -> str:
    if code.co_name == "<module>":
        if how.namespace is not Namespace.OWN:
            return "module body"
        return "expression" if how.mode == "eval" else "code body"
    if not code.co_flags & 0x1:
        return "class body"
    if code.co_name == "<genexpr>":
        return "generator expression"
    for flag, kind in ((0x20, "generator"), (0x80, "coroutine"), (0x200, "async generator")):
        if code.co_flags & flag:
            return kind
    return "lambda" if code.co_name == "<lambda>" else "function"


def _cells(code: CodeType, *, is_module: bool) -> tuple[str, ...]:
    """Return the names of the cells in the order of the frame: captured parameters come first.

    The body of a module has one cell with an empty name, which stands for all its variables.
    """
    if is_module:
        return ("",)
    given = [name for name in code.co_varnames if name in code.co_cellvars]
    others = [name for name in code.co_cellvars if name not in given]
    return _named((*given, *others, *code.co_freevars))[:MOST_CELLS]


def _named(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names without those that the compiler made for itself."""
    return tuple(name for name in names if name[0] != "." and name not in COMPILERS_CELLS)


def _parameters(code: CodeType) -> tuple[str, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    return code.co_varnames[:count]
