"""Recipes with functions and types under the names by which they can be imported."""

from collections.abc import Mapping
from dataclasses import replace

from sleuth.trace.heap.recipe import Recipe, recipe
from sleuth.trace.values import Value
from sleuth.tree.names.code_names import named_code
from sleuth.views.frozen.importing import Imports


def named_recipe(imports: Imports, values: Mapping[str, Value], at: int) -> Recipe:
    """Return the recipe of values, with importable names for the functions and types in it."""
    trace = imports.trace
    known = named_code(trace)
    made = recipe(trace, values, at, names=dict.fromkeys(known, ""))
    return replace(made, named={number: imports.text(*known[number]) for number in made.named})
