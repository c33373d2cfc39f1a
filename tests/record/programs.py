"""Random programs that change objects in every way of the language and the library."""

import random

HEAD = """
import bisect, collections, dataclasses, heapq, operator, random, sys
sys.path.insert(0, LIB)
import lib
random.seed(1)

class Plain:
    def __init__(self, *given):
        for i, v in enumerate(given): setattr(self, "abc"[i], v)
class Slotted:
    __slots__ = ("a", "b", "c")
class Child(Plain):
    @property
    def prop(self): return self.a
    @prop.setter
    def prop(self, value): self.a = value
class MyList(list): pass
class MyDict(dict):
    def __setitem__(self, key, value): dict.__setitem__(self, key, value)
@dataclasses.dataclass
class Data:
    a: object = None
    b: list = dataclasses.field(default_factory=list)
class Failure(Exception): pass

def same(x): return x
unfinished = []
"""

STATEMENTS = {
    "list": [
        "{v}.append({x})",
        "{v}.extend([{x}, {y}])",
        "{v}.extend(({x},))",
        "{v}.insert(0, {x})",
        "{v}.insert(1, {x})",
        "{v}.pop()",
        "{v}.pop(0)",
        "{v}.pop(-1)",
        "{v}.remove({v}[0])",
        "{v}.reverse()",
        "{v}.sort(key=repr)",
        "{v}[0] = {x}",
        "{v}[-1] = {x}",
        "{v}[1:2] = [{x}, {y}]",
        "{v}[:] = [{x}]",
        "del {v}[0]",
        "del {v}[-1]",
        "del {v}[:1]",
        "{v} += [{x}]",
        "{v} += ({x},)",
        "{v} *= 2",
        "{v}.clear()",
        "operator.setitem({v}, 0, {x})",
        "operator.iadd({v}, [{x}])",
        "random.shuffle({v})",
        "m = {v}.append; m({x})",
        "list.append({v}, {x})",
        "[{v}.append(i) for i in range(2)]",
        "{v}.__setitem__(0, {x})",
        "list(map({v}.append, [{x}]))",
        "heapq.heappush({v}, 3)",
        "bisect.insort({v}, 2)",
        "lib.change({v})",
        "lib.deep([{v}])",
        "operator.delitem({v}, 0)",
        "for {v}[0] in (1, 2): pass",
        "{v}[0], {v}[1] = {x}, {y}",
        "{v}.extend(i for i in (1, 2))",
        "del {v}[::2]",
        "{v}[::2] = [0] * len({v}[::2])",
    ],
    "dict": [
        "{v}['k'] = {x}",
        "{v}[1] = {x}",
        "{v}.update(k={x})",
        "{v}.update({{2: {x}}})",
        "{v}.pop('k', None)",
        "{v}.pop(1, None)",
        "{v}.setdefault('s', {x})",
        "{v}.setdefault('s', []).append({y})",
        "del {v}['k']",
        "{v} |= {{'o': {x}}}",
        "{v}.popitem()",
        "{v}.clear()",
        "operator.setitem({v}, 'p', {x})",
        "{v}[(1, 2)] = {x}",
        "del {v}[1]",
        "lib.change({v})",
        "{v}.__setitem__('q', {x})",
        "{v}['k'] += 1",
        "dict.update({v}, z={x})",
        "{v}.update([('l', {x})])",
    ],
    "set": [
        "{v}.add({n})",
        "{v}.discard({n})",
        "{v}.update({{1, 2}})",
        "{v} |= {{5}}",
        "{v} -= {{1}}",
        "{v}.pop()",
        "{v}.clear()",
        "{v}.remove({n})",
        "lib.change({v})",
        "{v}.symmetric_difference_update({{1, 9}})",
        "m = {v}.add; m({n})",
        "set.add({v}, {n})",
    ],
    "deque": [
        "{v}.append({x})",
        "{v}.appendleft({x})",
        "{v}.pop()",
        "{v}.popleft()",
        "{v}.rotate(1)",
        "{v}.extend([{x}])",
        "{v}[0] = {x}",
        "{v}.clear()",
        "del {v}[0]",
        "lib.change({v})",
    ],
    "bytearray": [
        "{v}.append(7)",
        "{v}.extend(b'xy')",
        "{v}[0] = 9",
        "{v} += b'z'",
        "del {v}[0]",
        "{v}[:1] = b'abc'",
        "{v}.reverse()",
        "{v}.clear()",
    ],
    "object": [
        "{v}.a = {x}",
        "{v}.b = {x}",
        "{v}.c = {v}",
        "del {v}.a",
        "setattr({v}, 'a', {x})",
        "delattr({v}, 'b')",
        "object.__setattr__({v}, 'b', {x})",
        "lib.change({v})",
        "{v}.a, {v}.b = {x}, {y}",
        "{v}.a += 1",
        "{v}.prop = {x}",
        "{v}.b.append({x})",
        "{v}.a = same({x})",
        "lib.deep([{v}])",
    ],
}
LIBRARY = """
def change(thing):
    if isinstance(thing, list): thing.append("lib")
    elif isinstance(thing, dict): thing["lib"] = 1
    elif isinstance(thing, set): thing.add(99)
    elif hasattr(thing, "appendleft"): thing.append("lib")
    else: thing.a = "lib"

def deep(things):
    for thing in things: change(thing)

def call(function, given): return function(given)
"""
MAKERS = {
    "list": [
        "[]",
        "[1, 2, 3]",
        "[[1], {'a': 2}]",
        "MyList([1, 2])",
        "[1.5, 'x', None]",
        "list(range(300, 310))",
    ],
    "dict": [
        "{}",
        "{'k': 1, 'l': [2]}",
        "{1: 'x', (1, 2): 3}",
        "MyDict(k=1)",
        "collections.OrderedDict(k=2)",
        "collections.defaultdict(list)",
    ],
    "set": ["set()", "{1, 2, 3}"],
    "deque": ["collections.deque()", "collections.deque([1, 2, 3], 5)"],
    "bytearray": ["bytearray()", "bytearray(b'abc')"],
    "object": ["Plain()", "Plain(1, [2])", "Slotted()", "Child(1)", "Data()", "Failure('no', [1])"],
}
ATOMS = [
    "1",
    "-7",
    "1000",
    "'text'",
    "2.5",
    "None",
    "True",
    "b'b'",
    "(1, [2])",
    "frozenset({3})",
    "[]",
    "{}",
    "[4, [5]]",
    "Plain(6)",
    "2**70",
]


def program(rng: random.Random) -> str:
    """Return the text of a random program."""
    kinds = [rng.choice(list(MAKERS)) for _ in range(6)]
    lines = [HEAD]
    count = 8
    for number in range(count):
        kind, other = rng.choice(kinds), rng.choice(kinds)
        lines.append(f"def op{number}(v, w, *rest, key=None):")
        lines += [f"    {line}" for line in _body(rng, kind, other, number)]
        lines.append(f"    return {rng.choice(['v', 'w', 'key', '[v, w]', 'None', 'rest'])}")
        lines.append(f"op{number}.kinds = {(kind, other)!r}")
    for number in range(3):
        kind, other = rng.choice(kinds), rng.choice(kinds)
        lines += _closure(rng, kind, other, number)
        lines += _generator(rng, kind, other, number)
    lines.append("total = 0")
    lines.append("shared = []")
    lines.append("pool = {}")
    for kind, makers in MAKERS.items():
        lines.append(f"pool[{kind!r}] = [{', '.join(makers)}]")
    lines.append("def run(function, i, j, k):")
    lines.append("    first, second = function.kinds")
    lines.append(
        "    a = pool[first][i % len(pool[first])]; b = pool[second][j % len(pool[second])]"
    )
    lines.append("    return function(a, b, k, key=pool['list'][0])")
    for _ in range(25):
        numbers = rng.randrange(6), rng.randrange(6), rng.randrange(9)
        lines.append(f"run(op{rng.randrange(count)}, {', '.join(map(str, numbers))})")
        if rng.random() < 0.4:
            lines.append(rng.choice(ROUNDABOUT).format(n=rng.randrange(3), i=rng.randrange(6)))
    return "\n".join(lines) + "\n"


ROUNDABOUT = [
    "kept = near{n}({i}); kept(1); kept(2)",
    "shared.append(near{n}({i}))",
    "if len(shared): shared[-1]({i})",
    "for item in stream{n}({i}): total = item",
    "half = stream{n}({i}); next(half); unfinished.append(half)",
    "list(stream{n}({i}))",
    "total = run(op{n}, {i}, 1, total)",
    "lib.call(near{n}({i}), {i})",
    "list(map(near{n}({i}), [1, 2]))",
]


def _closure(rng: random.Random, kind: str, other: str, number: int) -> list[str]:
    """Write a function that gives another one, which shares its variables and sets one."""
    return [
        f"def near{number}(i):",
        f"    v = pool[{kind!r}][i % len(pool[{kind!r}])]",
        f"    w = pool[{other!r}][i % len(pool[{other!r}])]",
        "    n = [i]",
        "    def inner(x):",
        "        nonlocal n, v, w",
        "        global total",
        *[f"        {line}" for line in _body(rng, kind, other, 0)],
        f"        n = {rng.choice(['n + [x]', 'x', '[n, x]', 'v'])}",
        "        total = x",
        f"        return {rng.choice(['n', 'v', 'w', 'None'])}",
        "    return inner",
    ]


def _generator(rng: random.Random, kind: str, other: str, number: int) -> list[str]:
    """Write a generator that changes things between its yields."""
    return [
        f"def stream{number}(i):",
        f"    v = pool[{kind!r}][i % len(pool[{kind!r}])]",
        f"    w = pool[{other!r}][i % len(pool[{other!r}])]",
        f"    for item in part{number}(v, w): yield item",
        "    yield i",
        f"def part{number}(v, w):",
        *[f"    {line}" for line in _body(rng, kind, other, 0)],
        "    yield v",
        *[f"    {line}" for line in _body(rng, kind, other, 0)],
        "    yield [v, w]",
    ]


def _body(rng: random.Random, kind: str, other: str, number: int) -> list[str]:
    lines = []
    for _ in range(rng.randrange(3, 8)):
        name, which = rng.choice([("v", kind), ("w", other)])
        values = [*ATOMS, "v", "w"]
        statement = rng.choice(STATEMENTS[which]).format(
            v=name, x=rng.choice(values), y=rng.choice(values), n=rng.choice(["1", "5", "'s'"])
        )
        if number and rng.random() < 0.2:
            statement = f"run(op{rng.randrange(number)}, {rng.randrange(6)}, {rng.randrange(6)}, 0)"
        lines += (
            [f"try: {statement}", "except Exception: pass"]
            if ":" not in statement.split("{")[0]
            else ["try:", f"    {statement}", "except Exception: pass"]
        )
        lines.append(f"if len({name} if hasattr({name}, '__len__') else ()) > 40: {name}.clear()")
    return lines
