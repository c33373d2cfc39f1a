"""The code of functions as arrays, for the dependence graph in C.

The numbers of kinds, roles and scopes are those of `_core/graph/graph.h`.
"""

from array import array
from collections.abc import Iterator, Mapping

from sleuth.trace.events import Function, Module
from sleuth.trace.flow.control import Control
from sleuth.trace.flow.operations import Made, Operation
from sleuth.trace.flow.route import Label
from sleuth.trace.flow.table import Flow
from sleuth.trace.reader import Trace
from sleuth.trace.slices.ways import Way, Ways

_KINDS = (
    "constant",
    "read",
    "store",
    "delete",
    "attribute",
    "store attribute",
    "delete attribute",
    "item",
    "slice",
    "store item",
    "delete item",
    "call",
    "compute",
    "make",
    "add",
    "extend",
    "unpack",
    "iterate",
    "next",
    "branch",
    "return",
    "yield",
    "wait",
    "raise",
    "caught",
    "enter",
    "leave",
    "function",
    "class",
    "import",
    "other",
)
_KIND = {kind: number for number, kind in enumerate(_KINDS)}
_ROLES = {
    "callee": 1,
    "receiver": 2,
    "position": 3,
    "name": 4,
    "*": 5,
    "**": 6,
    "object": 7,
    "key": 8,
    "value": 9,
    "defaults": 10,
    "keyword defaults": 10,
    "container": 11,
    "item": 12,
}
SLOT, CELL, GLOBAL, CLASS = 1, 2, 3, 4
_IN_HANDLER, _IS_ITEMS, _LOOKS_NOT, _IS_COPY, _DECIDES, _IS_RISKY = 1, 2, 4, 8, 16, 32
_MAY_CHANGE, _IS_EACH = 64, 128
CHANGERS = frozenset(
    {
        "sort",
        "reverse",
        "remove",
        "discard",
        "pop",
        "popitem",
        "clear",
        "update",
        "setdefault",
        "extend",
        "insert",
        "add",
        "append",
        "rotate",
        "intersection_update",
        "difference_update",
        "symmetric_difference_update",
    }
)
"""Methods of containers that may change nothing, of which there is no event then."""
_GIVEN = {"plain": 0, "keyword": 1, "collects positions": 2, "collects names": 3}
_IS_INIT, _IS_CLASS = 1, 2
_DECIDERS = frozenset({"branch", "next", "yield", "wait"})
_COPIES = frozenset({"read", "store", "unpack", "return"})
_NOT_LOOKING = frozenset({"add", "raise", "other", "function", "class", "wait", "yield", "leave"})
_WRITES = frozenset(
    {
        "call",
        "store attribute",
        "delete attribute",
        "store item",
        "delete item",
        "yield",
        "wait",
        "extend",
        "add",
        "enter",
        "leave",
        "import",
        "class",
    }
)
_RAISES = _WRITES | {"attribute", "item", "slice", "compute", "unpack", "iterate", "next", "raise"}
_MASK = (1 << 64) - 1
_MAYBE = 1 << 31
_MOST_OUTPUTS = 4096
_FINISH, _FLUSH = 2, 3


def token_of(value: object) -> int:
    """Return the number under which C knows an integer or a text; 0: another value."""
    if type(value) is int and -(1 << 63) <= value < 1 << 63:
        number = value & _MASK
        number = ((number ^ number >> 31) * 0x9E3779B97F4A7C15) & _MASK
        return ((number ^ number >> 29) << 2 | 2) & _MASK
    if type(value) is str:
        return (_hash(value.encode("utf-8", "surrogatepass")) << 2 | 2) & _MASK
    return 0


def _hash(text: bytes) -> int:
    found = 0xCBF29CE484222325
    for byte in text:
        found = ((found ^ byte) * 0x100000001B3) & _MASK
    return found


class _Function:
    """A function, with what is needed to answer questions about its operations."""

    def __init__(self, function: Function, flow: Flow, base: int) -> None:
        self.function = function
        self.flow = flow
        self.base = base
        self.ways = Ways(flow)
        self.slots: dict[tuple[str, str], int] = {}

    def slot(self, scope: str, name: str) -> int:
        return self.slots.setdefault((scope, name), len(self.slots))


class Codes:
    """The functions of a trace, each prepared when it is first called."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._known: dict[int, _Function | None] = {}
        self._bases: list[tuple[int, _Function]] = []
        self._next = 0
        self._names: dict[str, int] = {}
        self._globals: dict[tuple[int, str], int] = {}
        self._fresh: list[tuple[int, int]] = []
        self._modules: Mapping[str, Module] = {
            module.name: module for module in trace.modules() if module.is_recorded
        }

    # --- For C -----------------------------------------------------------------------------------

    def code(self, number: int) -> bytes | None:
        """Return the words of a function; None: its code is not known."""
        function, flow = self._trace.function(number), self._trace.flow(number)
        if function is None or flow is None or not flow.operations:
            self._known[number] = None
            return None
        known = self._known[number] = _Function(function, flow, self._next)
        self._bases.append((self._next, known))
        self._next += len(flow.operations)
        return self._packed(known)

    def way(
        self, number: int, state: int, kind: int, site: int, place: int
    ) -> tuple[int, int, bytes] | None:
        """Return what runs from a state to an event: state, operation that runs, operations."""
        known = self._known[number]
        if known is None or state == 0xFFFFFFFF:
            return None
        found: Way | None
        if kind == _FINISH:
            found = known.ways.rest(state)
        elif kind == _FLUSH:
            found = known.ways.begun(state)
        else:
            found = known.ways.follow(state, Label(kind, site, place))
        if found is None:
            return None
        words = [each | (_MAYBE * (each in found.perhaps)) for each in found.operations]
        return found.state, found.at + 1, array("I", words).tobytes()

    # --- For Python ------------------------------------------------------------------------------

    def global_slot(self, module: int, name: str) -> int | None:
        """Return the number of a global; None: no code that ran uses it."""
        return self._globals.get((module, name))

    def variable(self, function: int, name: str) -> tuple[int, int] | None:
        """Return scope and number of a variable of a function; None: it has none of that name."""
        known = self._known.get(function)
        if known is None:
            return None
        if name in known.function.cells:
            return CELL, known.function.cells.index(name)
        for scope in ("local", "class"):
            if (scope, name) in known.slots:
                return SLOT, known.slots[scope, name]
        slot = self.global_slot(known.function.module.id, name)
        return None if slot is None else (GLOBAL, slot)

    def operations(self, ran: bytes) -> Iterator[tuple[Function, Flow, int]]:
        """Yield the operations that C has marked, each with its function."""
        for base, known in self._bases:
            for number in range(len(known.flow.operations)):
                if base + number < len(ran) and ran[base + number]:
                    yield known.function, known.flow, number

    def operation(self, number: int) -> tuple[Function, Flow, int] | None:
        """Return the operation with a number of C."""
        for base, known in self._bases:
            if base <= number < base + len(known.flow.operations):
                return known.function, known.flow, number - base
        return None

    # --- Inside ----------------------------------------------------------------------------------

    def _name(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    def _global(self, module: int, name: str) -> int:
        key = module, name
        if key not in self._globals:
            self._globals[key] = len(self._globals)
            self._fresh.append((self._globals[key], self._name(name)))
        return self._globals[key]

    def _packed(self, known: _Function) -> bytes:
        flow, function = known.flow, known.function
        given = self._given(known)
        facts, outputs = _Facts(flow), _outputs(flow)
        operations: list[int] = []
        inputs: list[int] = []
        made: list[int] = []
        controls: list[int] = []
        for number, each in enumerate(flow.operations):
            scope, argument, low, high = self._argument(known, each)
            if each.kind == "unpack":
                argument = min(outputs.get(number, 1), _MOST_OUTPUTS)
            operations += [
                _KIND[each.kind],
                scope,
                argument,
                facts.flags(number),
                low,
                high,
                len(inputs) // 3,
                len(controls),
            ]
            names = iter(each.name.split(",")) if each.kind in ("call", "class") else iter(())
            for one in each.inputs:
                name = self._name(next(names, "")) if one.role == "name" else 0
                inputs += [_ROLES.get(one.role, 0), name, len(made)]
                for source in _receivers(flow, one.made):
                    made += [source.operation, source.output]
            controls += facts.deciders[number]
        operations += [0, 0, 0, 0, 0, 0, len(inputs) // 3, len(controls)]
        risks_of, risks = facts.risks(known)
        fresh, self._fresh = self._fresh, []
        flags = _IS_INIT * (function.name == "__init__")
        flags |= _IS_CLASS * (function.kind == "class body")
        starts = [known.ways.start(is_resumed=each) & 0xFFFFFFFF for each in (False, True)]
        words = [len(flow.operations), len(known.slots), len(given) // 4, len(function.cells)]
        words += [flags, known.base, *starts, len(inputs) // 3, len(made), len(controls)]
        words += [len(risks), len(fresh), *given, *operations, *inputs, 0, 0, len(made)]
        words += [*made, *controls, *risks_of, *risks]
        words += [word for pair in fresh for word in pair]
        return array("I", words).tobytes()

    def _given(self, known: _Function) -> list[int]:
        function, kinds = known.function, known.flow.parameters
        found: list[int] = []
        for at, name in enumerate(function.parameters):
            kind = _GIVEN.get(kinds[at], 0) if at < len(kinds) else 0
            if name in function.cells:
                where = [CELL, function.cells.index(name)]
            else:
                where = [SLOT, known.slot("local", name)]
            found += [kind, self._name(name), *where]
        return found

    def _argument(self, known: _Function, each: Operation) -> tuple[int, int, int, int]:
        """Return scope, argument and the two halves of a value."""
        match each.kind:
            case "read" | "store" | "delete":
                return self._variable(known, each)
            case "constant":
                token = token_of(each.value)
                back = -each.value if type(each.value) is int and -9999 < each.value < 0 else 0
                return 0, back, token & 0xFFFFFFFF, token >> 32
            case "attribute" | "store attribute" | "delete attribute":
                token = token_of(each.name)
                return 0, self._name(each.name), token & 0xFFFFFFFF, token >> 32
            case "unpack":
                return 0, 1, int("*" in each.name), 0
            case "function" if isinstance(each.value, int):
                return 0, each.value + 1, 0, 0
            case "import":
                return 0, self._imported(known.flow, each), 0, 0
        return 0, 0, 0, 0

    def _variable(self, known: _Function, each: Operation) -> tuple[int, int, int, int]:
        cells = known.function.cells
        if each.scope == "cell" and each.name in cells:
            return CELL, cells.index(each.name), 0, 0
        if each.scope == "class":
            is_own = any(
                one.kind == "store" and one.name == each.name for one in known.flow.operations
            )
            if is_own:
                return CLASS, known.slot("class", each.name), self._name(each.name), 0
        elif each.scope != "global":
            return SLOT, known.slot(each.scope, each.name), 0, 0
        return GLOBAL, self._global(known.function.module.id, each.name), 0, 0

    def _imported(self, flow: Flow, each: Operation) -> int:
        """Return the global that `from module import name` reads, plus one; 0: none is known."""
        for maker in flow.makers(each, "module"):
            module = self._modules.get(maker.name)
            if module is not None:
                return self._global(module.id, each.name) + 1
        return 0


class _Facts:
    """What the operations of a function decide, and what decides them."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        count = len(flow.operations)
        self.deciders: list[list[int]] = [[] for _ in range(count)]
        for step, decisions in zip(flow.steps, Control(flow).deciders, strict=True):
            for number in step.operations:
                self.deciders[number] = sorted({*self.deciders[number], *decisions})
        self._tried = self._raisers()
        self._deciding = {each for decisions in self.deciders for each in decisions}
        self._risky: set[int] = set()
        for number, each in enumerate(flow.operations):
            is_shared = each.kind in ("store", "delete") and each.scope in ("global", "cell")
            if each.kind in _WRITES or is_shared:
                self._risky |= self._above(number)

    def flags(self, number: int) -> int:
        each = self._flow.operations[number]
        found = _IN_HANDLER * self._is_in_handler(each.statement)
        if each.kind == "make" and each.name in ("list", "tuple"):
            found |= _IS_ITEMS * (
                bool(each.inputs) and all(one.role == "item" for one in each.inputs)
            )
        is_blind = each.kind in _NOT_LOOKING or (each.kind == "make" and each.name != "text")
        is_blind |= each.kind == "compute" and each.name in ("is", "is not")
        found |= _LOOKS_NOT * is_blind
        is_tuple = each.kind == "make" and each.name == "tuple"
        found |= _IS_COPY * (each.kind in _COPIES or is_tuple)
        found |= _DECIDES * (number in self._deciding or each.kind in _DECIDERS)
        callees = self._flow.makers(each, "callee") if each.kind == "call" else ()
        found |= _MAY_CHANGE * any(one.name in CHANGERS for one in callees)
        found |= _IS_EACH * (each.kind == "add" and self._is_in_each_turn(number))
        return found | _IS_RISKY * (number in self._risky)

    def _is_in_each_turn(self, number: int) -> bool:
        """Tell whether each turn of one loop adds an item to a list: item n is that of turn n."""
        operations = self._flow.operations
        each = operations[number]
        made = [one.operation for it in each.inputs if it.role == "container" for one in it.made]
        if len(made) != 1 or {it.role for it in each.inputs} != {"container", "what"}:
            return False
        maker, deciders = operations[made[0]], self.deciders[number]
        is_list = maker.kind == "make" and maker.name == "list" and not maker.inputs
        if not is_list or [operations[one].kind for one in deciders] != ["next"]:
            return False
        # In a nested loop, or with a filter, the number of a turn is not that of the item.
        return {*self.deciders[deciders[0]]} - {*deciders} == {*self.deciders[made[0]]}

    def risks(self, known: _Function) -> tuple[list[int], list[int]]:
        """Return for each slot where its risks begin, and the risks: decisions that may set it."""
        found: list[set[int]] = [set() for _ in known.slots]
        for number, each in enumerate(self._flow.operations):
            if each.kind in ("store", "delete") and (each.scope, each.name) in known.slots:
                found[known.slots[each.scope, each.name]] |= self._above(number)
        starts, risks = [0], []
        for each_slot in found:
            risks += sorted(each_slot)
            starts.append(len(risks))
        return starts, risks

    def _above(self, number: int) -> set[int]:
        """Return all decisions that decide about an operation, also indirectly."""
        found: set[int] = set()
        waiting = [number]
        while waiting:
            at = waiting.pop()
            for each in (*self.deciders[at], *self._tried.get(at, ())):
                if each not in found:
                    found.add(each)
                    waiting.append(each)
        return found

    def _is_in_handler(self, statement: int) -> bool:
        statements = self._flow.statements
        while statement >= 0:
            if statements[statement].kind == "handler":
                return True
            statement = statements[statement].parent
        return False

    def _raisers(self) -> dict[int, list[int]]:
        """Return for operations in a handler those that can have raised what it handles."""
        statements, operations = self._flow.statements, self._flow.operations
        tried: dict[int, list[int]] = {}
        handled: dict[int, list[int]] = {}
        for number, each in enumerate(operations):
            at = each.statement
            while at >= 0:
                parent, block = statements[at].parent, statements[at].block
                if parent >= 0 and statements[parent].kind == "try":
                    if block == "body" and each.kind in _RAISES:
                        tried.setdefault(parent, []).append(number)
                    elif block in ("handlers", "finally", "else"):
                        handled.setdefault(parent, []).append(number)
                at = parent
        return {
            number: tried[statement]
            for statement, numbers in handled.items()
            if statement in tried
            for number in numbers
        }


def _outputs(flow: Flow) -> dict[int, int]:
    """Return for each operation how many of its outputs are used."""
    found: dict[int, int] = {}
    for each in flow.operations:
        for one in each.inputs:
            for made in one.made:
                found[made.operation] = max(found.get(made.operation, 1), made.output + 1)
    return found


def _receivers(flow: Flow, made: tuple[Made, ...], depth: int = 0) -> Iterator[Made]:
    """Yield the outputs; in place of an attribute's object the outputs that it comes from."""
    for each in made:
        operation = flow.operations[each.operation]
        if each.output == 1 and operation.kind == "attribute" and depth < 64:
            for one in operation.inputs:
                yield from _receivers(flow, one.made, depth + 1)
        else:
            yield each
