"""Finds loops, arms and comprehensions in a syntax tree, and puts markers into it.

A *marker* is a statement where an arm or a turn begins, or before a `while`: minus a placeholder
text.  It compiles to load, negate, pop, which are the instructions of a probe.  So the second step
(`weaver.py`) only has to replace the text by the probe.  Expressions are not changed.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from sleuth.record.rewrite.bytecode import Span

PREFIX = "\0sleuth:"
"""The beginning of placeholder texts; a module that contains such a text itself is left plain."""

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
CODE_NAMES = {
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of the source: its span, and the span of the code that it repeats."""

    kind: str
    name: str
    span: Span
    body: Span
    target: Span | None = None
    """The span of the loop's target; None: it is inside `body`, or the loop has none."""
    names: tuple[str, ...] = ()
    """The variables that are set when a turn begins: by the target, or by the condition."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One way that a branch can take."""

    kind: str
    span: Span


@dataclass(slots=True)
class Syntax:
    """What the choice of probes needs to know of a module's source."""

    ends: dict[tuple[str, int], int] = field(default_factory=dict)
    """The last line of everything that becomes a code object, by its name and first line."""
    loops: list[Loop] = field(default_factory=list)
    loop_at: dict[Span, Loop] = field(default_factory=dict)
    """Loops by the spans of the instructions that start and repeat them."""
    generators_at: dict[Span, list[Loop]] = field(default_factory=dict)
    """The loops of a comprehension, by the comprehension's span."""
    targets: dict[Span, Loop] = field(default_factory=dict)
    """Asynchronous loops by the span of their target: a turn begins where the item is stored."""
    operands: dict[int, list[tuple[Span, Arm]]] = field(default_factory=dict)
    """Arms that are expressions, by every line of their span."""
    handler_types: set[Span] = field(default_factory=set)
    comprehension_spans: set[Span] = field(default_factory=set)
    lazy_spans: set[Span] = field(default_factory=set)
    """Spans of generator expressions."""
    markers: list[Loop | Arm] = field(default_factory=list)
    """The meaning of each marker: a turn or the start of a loop, or an arm."""
    starts: dict[int, Loop] = field(default_factory=dict)
    """Loops by the number of the marker that stands before them."""


def span_of(node: ast.expr | ast.stmt | ast.excepthandler) -> Span:
    """Return a node's span."""
    return (
        node.lineno,
        node.col_offset,
        node.end_lineno or node.lineno,
        node.end_col_offset or node.col_offset,
    )


def _cover(first: ast.stmt | ast.expr, last: ast.stmt | ast.expr) -> Span:
    start, end = span_of(first), span_of(last)
    return start[0], start[1], end[2], end[3]


def _pattern_end(case: ast.match_case) -> Span:
    pattern = case.pattern
    return pattern.lineno, pattern.col_offset, pattern.end_lineno, pattern.end_col_offset


def study(tree: ast.mod) -> Syntax:
    """Collect loops, arms and comprehensions.

    Works without recursion: a long chain of operators is a deep tree.
    """
    syntax = Syntax()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = min([node.lineno, *(deco.lineno for deco in node.decorator_list)])
            syntax.ends[node.name, first] = node.end_lineno or node.lineno
        elif isinstance(node, ast.Lambda):
            key = "<lambda>", node.lineno
            syntax.ends[key] = max(node.end_lineno or 0, syntax.ends.get(key, 0))
        elif isinstance(node, COMPREHENSIONS):
            _study_comprehension(syntax, node)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            _study_for(syntax, node)
        elif isinstance(node, ast.ExceptHandler) and node.type:
            syntax.handler_types.add(span_of(node.type))
        else:
            for kind, operands in _perhaps(node):
                _operands(syntax, kind, operands)
    return syntax


def _perhaps(node: ast.AST) -> Iterator[tuple[str, list[ast.expr]]]:
    """Yield the operands of an expression that are not always evaluated."""
    if isinstance(node, ast.IfExp):
        yield "conditional", [node.body, node.orelse]
    elif isinstance(node, ast.BoolOp):
        yield ("and" if isinstance(node.op, ast.And) else "or"), node.values[1:]
    elif isinstance(node, ast.Compare):
        # The first two operands are always evaluated; each further one if the chain is true so far.
        yield "and", node.comparators[1:]


def _operands(syntax: Syntax, kind: str, nodes: list[ast.expr]) -> None:
    for span in map(span_of, nodes):
        for line in range(span[0], span[2] + 1):
            syntax.operands.setdefault(line, []).append((span, Arm(kind, span)))


def _target_name(target: ast.expr) -> str:
    return target.id if isinstance(target, ast.Name) else ""


def _stored_in(node: ast.expr) -> tuple[str, ...]:
    """Return the variables that an expression sets, each once."""
    inner = (each for each in ast.walk(node) if isinstance(each, ast.Name))
    stored = (each for each in inner if isinstance(each.ctx, ast.Store))
    in_order = sorted(stored, key=lambda each: (each.lineno, each.col_offset))
    return tuple(dict.fromkeys(each.id for each in in_order))


def _study_for(syntax: Syntax, node: ast.For | ast.AsyncFor) -> None:
    kind = "for" if isinstance(node, ast.For) else "async for"
    header = _cover_header(node)
    body, target = _cover(node.body[0], node.body[-1]), span_of(node.target)
    loop = Loop(kind, _target_name(node.target), header, body, target, _stored_in(node.target))
    syntax.loops.append(loop)
    syntax.loop_at[span_of(node)] = loop
    syntax.loop_at[span_of(node.iter)] = loop
    if kind == "async for":
        syntax.targets[target] = loop


def _cover_header(node: ast.For | ast.AsyncFor) -> Span:
    end = span_of(node.iter)
    return node.lineno, node.col_offset, end[2], end[3]


def _study_comprehension(
    syntax: Syntax, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
) -> None:
    whole = span_of(node)
    key = CODE_NAMES[type(node)], node.lineno
    syntax.ends[key] = max(whole[2], syntax.ends.get(key, 0))
    syntax.comprehension_spans.add(whole)
    if isinstance(node, ast.GeneratorExp):
        syntax.lazy_spans.add(whole)
    loops = []
    for position, generator in enumerate(node.generators):
        span = _cover(generator.target, generator.iter)
        names = _stored_in(generator.target)
        loop = Loop("comprehension", _target_name(generator.target), span, whole, names=names)
        loops.append(loop)
        # The iterable of a generator expression is evaluated before there is a generator.  Its
        # loop begins later, when the generator is first resumed.
        if position or not isinstance(node, ast.GeneratorExp):
            syntax.loop_at[span_of(generator.iter)] = loop
        if generator.is_async:
            syntax.targets[span_of(generator.target)] = loop
    syntax.loops.extend(loops)
    syntax.generators_at[whole] = loops
    for generator in node.generators:
        _operands(syntax, "and", generator.ifs[1:])
    if any(generator.ifs for generator in node.generators):
        _operands(syntax, "if", [node.key if isinstance(node, ast.DictComp) else node.elt])


# --- markers ------------------------------------------------------------------------------------


def mark(tree: ast.mod, syntax: Syntax) -> None:
    """Put the markers into the tree."""
    for body in list(_bodies(tree)):
        _mark_body(body, syntax)


def _bodies(tree: ast.mod) -> Iterator[list[ast.stmt]]:
    """Yield every list of statements, without recursion: a long chain of `elif` is a deep tree."""
    work: list[ast.AST] = [tree]
    while work:
        node = work.pop()
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                yield body
                work.extend(body)
        work.extend(getattr(node, "handlers", ()))
        work.extend(getattr(node, "cases", ()))


def _mark_body(body: list[ast.stmt], syntax: Syntax) -> None:
    for index in range(len(body) - 1, -1, -1):
        node = body[index]
        if isinstance(node, ast.If):
            _mark_if(node, syntax)
        elif isinstance(node, ast.While):
            body_span = _cover(node.body[0], node.body[-1])
            names = _stored_in(node.test)
            loop = Loop("while", "", span_of(node.test), body_span, names=names)
            syntax.loops.append(loop)
            node.body.insert(0, _marker(syntax, loop, _start_of(node.body[0])))
            syntax.starts[len(syntax.markers)] = loop
            body.insert(index, _marker(syntax, loop, span_of(node.test)))
        elif isinstance(node, (ast.Try, ast.TryStar)):
            for handler in node.handlers:
                arm = Arm("except", span_of(handler))
                handler.body.insert(0, _marker(syntax, arm, _start_of(handler.body[0])))
        elif isinstance(node, ast.Match):
            for case in node.cases:
                arm = Arm("match", _pattern_end(case))
                case.body.insert(0, _marker(syntax, arm, _start_of(case.body[0])))


def _mark_if(node: ast.If, syntax: Syntax) -> None:
    test = span_of(node.test)
    is_chain = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
    if node.orelse and not is_chain:
        arm = Arm("else", span_of(node.orelse[0]))
        node.orelse.insert(0, _marker(syntax, arm, _start_of(node.orelse[0])))
    elif not node.orelse and not INLINES_COMPREHENSIONS:
        # Until 3.11 the compiler gives all jumps of the test the location of the statement.
        node.orelse.append(_marker(syntax, Arm("else", test), span_of(node)))
    elif not node.orelse and test[0] == test[2]:
        # From 3.12 on each jump has the location of its operand.  If the operands are on several
        # lines, the jumps past the statement have several lines, but a marker has only one: a
        # debugger would see the difference.  So such a test gets no marker.
        node.orelse.append(_marker(syntax, Arm("else", test), test))
    node.body.insert(0, _marker(syntax, Arm("if", test), _start_of(node.body[0])))


STARTS_WITH_ITS_KEYWORD = (ast.Try, ast.TryStar, ast.While, ast.Pass, ast.Break, ast.Continue)


def _start_of(node: ast.stmt) -> Span:
    """Return the span for a marker that stands before a statement.

    If the span is not empty, the marker later moves to the location of the first instruction
    inside it: see `Weaver._move_marker`.
    """
    if isinstance(node, STARTS_WITH_ITS_KEYWORD):
        return node.lineno, node.col_offset, node.lineno, node.col_offset
    decorators = getattr(node, "decorator_list", None)
    return span_of(decorators[0] if decorators else node)


def _marker(syntax: Syntax, meaning: Loop | Arm, where: Span) -> ast.Expr:
    text = f"{PREFIX}m{len(syntax.markers)}"
    syntax.markers.append(meaning)
    constant = ast.Constant(text)
    negated = ast.UnaryOp(ast.USub(), constant)
    statement = ast.Expr(negated)
    for node in (constant, negated, statement):
        node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = where
    return statement


def has_own_prefix(tree: ast.mod) -> bool:
    """Tell whether the program itself has a text that looks like a placeholder."""
    return any(
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.startswith(PREFIX)
        for node in ast.walk(tree)
    )


INLINES_COMPREHENSIONS = sys.version_info >= (3, 12)
