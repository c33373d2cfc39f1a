"""No hidden state: what is found out is kept with the trace, the session or the view of it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_version

SOURCE = Path(__file__).parents[1] / "src" / "sleuth"
ROOMS = ("trace", "tree", "search", "oracles", "views")
MODULES = [
    SOURCE / "opening.py",
    *(file for room in ROOMS for file in (SOURCE / room).rglob("*.py")),
]
REGISTRIES = {("views/prompt/registry.py", "HANDLERS")}
"""Tables that are filled while modules are imported, and never later."""
CACHES = {"cache", "lru_cache"}
LIVING = {"Trace", "FlatTree", "ExecutionTree", "Problem", "Session", "Opened", "Inquiry", "self"}
"""Types of what a cache of a module may not hold: it would outlive them, and be shared."""
CONTAINERS = {
    "dict",
    "list",
    "set",
    "defaultdict",
    "deque",
    "Counter",
    "OrderedDict",
    "WeakKeyDictionary",
    "WeakValueDictionary",
    "WeakSet",
}


def names_in(node: ast.AST | None) -> set[str]:
    """Return the names in an expression, also those in a quoted annotation."""
    found: set[str] = set()
    for each in ast.walk(node) if node is not None else ():
        match each:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found.add(name)
            case ast.Constant(value=str() as text):
                found.update(re.findall(r"\w+", text))
    return found


def is_empty_container(value: ast.expr | None) -> bool:
    match value:
        case ast.Dict(keys=[]) | ast.List(elts=[]):
            return True
        case ast.Call(func=func, args=[]):
            return bool(names_in(func) & CONTAINERS)
    return False


def faults(text: str) -> Iterator[str]:
    """Yield what a module keeps that two sessions would share."""
    module = ast.parse(text)
    for line in module.body:
        match line:
            case ast.Assign(targets=[target], value=value) if is_empty_container(value):
                yield from names_in(target)
            case ast.AnnAssign(target=target, value=value) if is_empty_container(value):
                yield from names_in(target)
    for each in ast.walk(module):
        match each:
            case ast.Global(names=names):
                yield from (f"global {name}" for name in names)
            case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=name), *_]) if (
                name != "sys"  # it replaces streams of this process that are closed
            ):
                yield f"setattr({name}, ...)"
            case ast.Attribute(value=ast.Call(func=ast.Name(id="vars")), attr="update"):
                yield "vars().update"
            case ast.FunctionDef(name=name, args=given, decorator_list=decorators):
                if any(names_in(one) & CACHES for one in decorators):
                    arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs]
                    held = {one.arg for one in arguments} | {
                        word for one in arguments for word in names_in(one.annotation)
                    }
                    yield from (f"cached {name} of a {word}" for word in sorted(held & LIVING))


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_a_module_keeps_nothing_that_belongs_to_a_trace_or_a_session(file: Path) -> None:
    name = file.relative_to(SOURCE).as_posix()
    found = [each for each in faults(file.read_text()) if (name, each) not in REGISTRIES]
    assert not found, "keep it in the trace (`trace/kept.py`), or in the object it is about"


@pytest.mark.parametrize(
    "text",
    [
        "_NAMES = {}",
        "_NAMES: dict[str, int] = {}",
        "_NAMES = WeakKeyDictionary()",
        "_ALL = set()",
        "def f():\n    global seen\n    seen = 1",
        "@lru_cache(maxsize=4)\ndef f(trace: Trace): ...",
        "@functools.cache\ndef f(tree: 'FlatTree | None'): ...",
        "class A:\n    @cache\n    def f(self): ...",
        "vars(session).update(space=1)",
        "setattr(session, 'space', 1)",
    ],
)
def test_hidden_state_is_found(text: str) -> None:
    assert list(faults(text))


@pytest.mark.parametrize(
    "text",
    [
        "_NAMES = {'a': 1}",
        "@kept(most=4)\ndef f(trace: Trace): ...",
        "@cache\ndef f(text: str): ...",
        "class A:\n    @cached_property\n    def f(self): ...",
        "def f():\n    found = {}",
    ],
)
def test_what_is_kept_in_its_place_is_no_fault(text: str) -> None:
    assert not list(faults(text))
