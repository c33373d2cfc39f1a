"""The layout of `--help` for the width of the terminal."""

import argparse
import re
import shutil
from collections.abc import Iterable
from textwrap import TextWrapper

_NARROWEST, _WIDEST = 40, 200
_MARGIN = 2
_INDENT = "    "
_PARTS = re.compile(r"\[[^]]*\]|\S+")
"""The parts of a usage line that stay on one line: `[--format {md,json}]`."""
_GLUE = "\0"
"""Stands for a space at which a line is not broken."""


class HelpLayout(argparse.HelpFormatter):
    """Fits the help into the terminal; argparse alone lets long usage lines run over its edge."""

    def __init__(self, prog: str) -> None:
        """Read the width of the terminal; a variable COLUMNS counts."""
        columns = min(max(shutil.get_terminal_size().columns, _NARROWEST), _WIDEST)
        super().__init__(prog, width=columns - _MARGIN)
        self._columns = columns

    def _format_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None,
    ) -> str:
        text = super()._format_usage(usage, actions, groups, prefix)
        lines = text.strip("\n").split("\n")
        if max(map(len, lines)) <= self._columns:
            return text
        # A usage that was given has a line for each way to call; one that was made is one way.
        ways = lines if usage else [" ".join(lines)]
        wrapper = TextWrapper(self._columns, subsequent_indent=_INDENT, break_on_hyphens=False)
        found = []
        for way in ways:
            parts = [part.replace(" ", _GLUE) for part in _PARTS.findall(way)]
            found += wrapper.wrap(" ".join(parts))
        return "\n".join(found).replace(_GLUE, " ") + "\n\n"
