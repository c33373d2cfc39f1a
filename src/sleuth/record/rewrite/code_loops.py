"""Finds the loop in the source that an instruction belongs to."""

from types import CodeType

from sleuth.record.rewrite.bytecode import Instruction, Span
from sleuth.record.rewrite.syntax import Loop, Syntax


class CodeLoops:
    """The loops of one code object; its instructions are asked about in order."""

    def __init__(self, code: CodeType, syntax: Syntax) -> None:
        self._code = code
        self._syntax = syntax
        self._seen: dict[Span, int] = {}

    def of(self, instruction: Instruction) -> Loop | None:
        """Return the loop of an instruction that begins it or one of its turns."""
        syntax = self._syntax
        span = instruction.span
        if span is None:
            return None
        if span in syntax.generators_at:
            return self._of_comprehension(span, instruction.name)
        return syntax.loop_at.get(span)

    def _of_comprehension(self, span: Span, name: str) -> Loop | None:
        """Find a loop of a comprehension by order: all of them have the comprehension's span."""
        loops = self._syntax.generators_at[span]
        if span in self._syntax.lazy_spans and self._code.co_name != "<genexpr>":
            return None  # the iterable, which is evaluated before there is a generator
        seen = self._seen.get(span, 0)
        if name == "FOR_ITER":
            self._seen[span] = seen + 1
        return loops[seen % len(loops)]

    def first_of_expression(self, span: Span) -> Loop | None:
        """Return the first loop of the generator expression that ends where a span does."""
        for loops in self._syntax.generators_at.values():
            end = loops[0].span
            if end[2:] == span[2:] and end[:2] <= span[:2]:
                return loops[0]
        return None
