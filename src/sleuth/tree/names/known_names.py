"""The name by which a person knows a call, if the name of its code is another one.

A decorator's wrapper is known as the function that it wraps; a function named `_` by what it was
registered with; the code of a compiled template as the template; a method that was generated
outside of any class as one of its object's class; code that the program
compiled itself by its text, or by the name that it was compiled under.
"""

from pathlib import PurePath

from sleuth.trace import conventions
from sleuth.trace.events import Call, Function
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref
from sleuth.tree.names.decorated import decorations_of
from sleuth.tree.observe.behaviour import CONSTRUCTOR, EXPRESSION, OPERATOR, Known

_LONGEST = 60
"""The most letters of a text in a name."""


@kept(most=4096)
def known_as(trace: Trace, call: Call) -> Known | None:
    """Return the known name of a call; None: that of its code."""
    function = trace.function(call.function)
    words = conventions.of(trace.meta.get("language"))
    if function is None:
        return None
    if function.module.template is not None:
        name = dict(function.module.template.names).get(function.qualified_name)
        if name is None and function.kind in words.runs_kind:
            name = f"{words.runs_kind[function.kind]} of {function.module.template.name}"
        return None if name is None else Known(name)
    if function.kind in words.runs_kind:
        return Known(_compiled(trace, function, words))
    if function.name in words.nameless:
        found = decorations_of(trace).decorators(function.id)
        return Known(function.qualified_name, found[-1]) if found else None
    if function.free or function.name in words.callers:
        decorated = decorations_of(trace).of(call)
        if decorated is not None:
            return Known(decorated.function.qualified_name, decorated.by)
    return _generated(trace, call, function)


def _compiled(trace: Trace, function: Function, words: conventions.Conventions) -> str:
    """Return `eval("x + 1")`, `exec("total = 0 ...")`, `exec of <rule 7>`."""
    run_by, module = words.runs_kind[function.kind], function.module
    if function.kind != EXPRESSION and module.path not in words.unnamed_files:
        return f"{run_by} of {PurePath(module.path).name or module.name}"
    first, *more = [each for each in trace.source(module).splitlines() if each.strip()] or [""]
    text = " ".join(first.split())
    is_long = bool(more) or len(text) > _LONGEST
    text = f"{text[:_LONGEST]} ..." if is_long else text
    quote = "'" if '"' in text and "'" not in text else '"'
    return f"{run_by}({quote}{text}{quote})"


def _generated(trace: Trace, call: Call, function: Function) -> Known | None:
    """Return the name of a method generated outside of its class, as for dataclasses."""
    words = conventions.of(trace.meta.get("language"))
    around = function.qualified_name.removesuffix(function.name)
    is_special = conventions.role(words, function) in (CONSTRUCTOR, OPERATOR)
    if not is_special or (around and not around.endswith(words.inner)):
        return None
    given = trace.arguments(call)[:1]
    if not given or not isinstance(given[0], Ref) or _is_passed_up(trace, call, given[0]):
        return None
    return Known(f"{given[0].type_name.rpartition('.')[2]}.{function.name}")


def _is_passed_up(trace: Trace, call: Call, of: Ref) -> bool:
    """Tell whether the same method of a subclass called it, as `super()` does."""
    above = None if call.parent is None else trace.call(call.parent)
    by, function = (
        None if each is None else trace.function(each.function) for each in (above, call)
    )
    is_same = by is not None and function is not None and by.name == function.name
    return above is not None and is_same and trace.arguments(above)[:1] == (of,)
