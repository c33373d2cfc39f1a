"""Recipes with functions and types under the names by which they can be imported."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sleuth.trace import conventions
from sleuth.trace.heap.recipe import Recipe, recipe
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref, Value
from sleuth.tree.names.code_names import named_code
from sleuth.views.frozen.importing import Imports

_MOST_OBJECTS = 2_000


def named_recipe(imports: Imports, values: Mapping[str, Value], at: int) -> Recipe:
    """Return the recipe of values, with importable names for the functions and types in it."""
    trace = imports.trace
    known = named_code(trace)
    names = {number: "" for number in _code_in(trace, values.values(), at) if number in known}
    made = recipe(trace, values, at, names=names)
    return replace(made, named={number: imports.text(*known[number]) for number in made.named})


def _code_in(trace: Trace, values: Iterable[Value], at: int) -> set[int]:
    code = conventions.of(trace.meta.get("language")).code
    found: set[int] = set()
    seen: set[int] = set()
    waiting = [value for value in values if isinstance(value, Ref)]
    while waiting and len(seen) < _MOST_OBJECTS:
        ref = waiting.pop()
        if ref.id in seen:
            continue
        seen.add(ref.id)
        if ref.type_name in code:
            found.add(ref.id)
            continue
        shape = trace.shape(ref, at)
        for part in shape.parts if shape else ():
            waiting.extend(each for each in (*part.keys, *part.items) if isinstance(each, Ref))
    return found
