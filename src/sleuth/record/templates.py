"""Templates that were compiled to Python: the map from lines of code to lines of the template.

Jinja writes the map into `debug_info`, Mako into a text at the end of the module.  Both are read
from the source; no code of the template engine runs.
"""

import ast
import json
import re
from typing import Any

Told = dict[str, Any]
"""The template of a module as the trace has it: name, lines, names."""

_JINJA = re.compile(r"^debug_info = '([0-9=&]*)'\s*$", re.MULTILINE)
_JINJA_NAME = re.compile(r"^name = ('.*'|\".*\")\s*$", re.MULTILINE)
_BLOCK = re.compile(r"^(?:async )?def block_(\w+)\(context", re.MULTILINE)
_MAKO = re.compile(r"^__M_BEGIN_METADATA\n(.*)\n__M_END_METADATA$", re.MULTILINE | re.DOTALL)
_DEF = re.compile(r"^def render_(\w+)\(context", re.MULTILINE)
_MOST = 1 << 22
"""Larger line numbers are not believed."""


def template_of(source: str) -> Told | None:
    """Return the template that a module was made from; None: the module is no template."""
    try:
        return _jinja(source) or _mako(source)
    except (ValueError, SyntaxError, TypeError, AttributeError):
        return None  # it only looked like a template


def _jinja(source: str) -> Told | None:
    lines, named = _JINJA.search(source), _JINJA_NAME.search(source)
    if lines is None or named is None or "from jinja2" not in source:
        return None
    name = str(ast.literal_eval(named[1]))
    pairs = [each.partition("=") for each in lines[1].split("&") if each]
    blocks = {f"block_{each}": f"block {each} of {name}" for each in _BLOCK.findall(source)}
    return _told(name, [(int(code), int(there)) for there, _, code in pairs], blocks, "root")


def _mako(source: str) -> Told | None:
    found = _MAKO.search(source)
    if found is None:
        return None
    about = json.loads(found[1])
    name = str(about.get("uri") or about.get("filename"))
    pairs = [(int(code), int(there)) for code, there in about["line_map"].items()]
    inner = {f"render_{each}": f"{each} of {name}" for each in _DEF.findall(source)}
    return _told(name, pairs, inner, "render_body")


def _told(name: str, pairs: list[tuple[int, int]], inner: dict[str, str], whole: str) -> Told:
    lines = sorted({(code, there) for code, there in pairs if 0 < code < _MOST})
    return {
        "name": name,
        "lines": [list(each) for each in lines if 0 < each[1] < _MOST],
        "names": [[here, said] for here, said in (inner | {whole: name}).items()],
    }
