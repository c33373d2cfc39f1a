"""The variables of code that a program compiles itself: those of the namespace that it runs in.

The flow table of the caller shows the namespace.  With one argument `exec` and `eval` run in the
caller's own variables, else in the objects given to them, if variables of the caller hold these.
"""

from collections.abc import Mapping

from sleuth.trace import conventions
from sleuth.trace.events import Call
from sleuth.trace.flow.operations import Operation
from sleuth.trace.flow.table import Flow
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Ref, Value
from sleuth.tree.names.imported import makers

_MOST_GIVEN = 3
"""The code, globals, locals."""


def namespaces_of(trace: Trace, call: Call) -> Mapping[str, Value]:
    """Return the variables that a text could use when it began, as far as they are known."""
    if call.parent is None or call.place is None:
        return {}
    by = trace.call(call.parent)
    flow = trace.flow(by.function)
    operation = None if flow is None else _run(trace, flow, call.place)
    if flow is None or operation is None:
        return {}
    given = [each for each in operation.inputs if each.role not in ("callee", "receiver")]
    outer, own = _globals(trace, by, call.first), trace.variables(by, call.first)
    around = {**outer, **own}
    if len(given) == 1:
        # In a comprehension it may be either: some versions run it in a frame of its own.
        unsure = {each for each in own if each in outer and outer[each] != own[each]}
        return {name: value for name, value in around.items() if name not in unsure}
    if operation.name or len(given) > _MOST_GIVEN:
        return {}
    found: dict[str, Value] = {}
    for each in reversed(given[1:]):  # locals hide globals
        made = flow.operations[each.made[-1].operation] if len(each.made) == 1 else None
        held = around.get(made.name) if made is not None and made.kind == "read" else None
        items = _items(trace, held, call.first) if isinstance(held, Ref) else None
        if items is None:
            break  # it is not known which variables it hides
        found = {**items, **found}
    return found


def _run(trace: Trace, flow: Flow, place: int) -> Operation | None:
    """Return the call of `exec` or `eval` at a place."""
    runs_text = conventions.of(trace.meta.get("language")).runs_text
    for each in flow.operations_at(place):
        callee = next(makers(flow, each, "callee"), None) if each.kind == "call" else None
        if callee is not None and callee.kind == "read" and callee.name in runs_text:
            return each
    return None


def _globals(trace: Trace, call: Call, at: int) -> Mapping[str, Value]:
    function = trace.function(call.function)
    return {} if function is None else trace.globals(function.module, at)


def _items(trace: Trace, held: Ref, at: int) -> dict[str, Value] | None:
    """Return the items of a mapping whose keys are texts; None: not all are known."""
    shape = trace.shape(held, at)
    part = shape.part("mapping") if shape is not None and shape.is_sure else None
    if part is None or not part.is_complete:
        return None
    pairs = [(key.content, value) for key, value in part.pairs if isinstance(key, Atom)]
    return {key: value for key, value in pairs if isinstance(key, str)}
