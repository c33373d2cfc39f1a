"""Generated programs that print one number: each seed gives another one."""

import random

_HEAD = """\
import functools
G = {0}
H = {1}
class Box:
    rate = {2}
    def __init__(self, low, high={3}):
        self.low = low
        self.high = high
        self.seen = []
    def step(self, by):
        self.low += by
        self.seen.append(by + {4})
        return self.low
    def spread(self):
        return (self.high - self.low) * self.rate
    @property
    def both(self):
        return self.low + self.high
class Deep(Box):
    def step(self, by):
        self.high -= {5}
        return super().step(by) + 1
def bump(by):
    global G
    if by > {6}:
        G += by
    return G
def mixed(a, b={7}, *rest, c={8}):
    if a > b:
        return a - c
    for each in rest:
        b += each
    return b * 2
def numbers(count, first):
    for at in range(count % 6):
        first += {9}
        if first > {10}:
            return
        yield first
def maker(start):
    count = start
    other = {11}
    def more(by):
        nonlocal count
        count += by
        return count
    def less(by):
        nonlocal other
        other -= by
        return other
    return more, less
def risky(n):
    if n % {12} == 0:
        raise ValueError(n + {13})
    return n + 1
def doubled(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args) * 2
    return inner
@doubled
def plain(n):
    return n + {14}
"""
_NAMES = ("a", "b", "c", "d", "e")
_KEYS = ("'x'", "'y'", "'z'")


class _Writer:
    """Writes the lines of one program."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - no secret
        self.lines: list[str] = []
        self._names = 0

    def number(self) -> str:
        return str(self._random.randrange(1, 30))

    def name(self) -> str:
        return self._random.choice(_NAMES)

    def value(self) -> str:
        pick, one, two = self._random.randrange(12), self.name(), self.name()
        if pick < 3:
            return one
        if pick < 5:
            return self.number()
        return {
            5: f"{one} + {self.number()}",
            6: f"{one} - {two}",
            7: f"{one} * {self.number()} % 97",
            8: f"({one} if {self.test()} else {self.number()})",
            9: f"len(xs) + {self.number()}",
            10: f"(xs[{one} % len(xs)] or {self.number()})",
            11: f"(({one} % 7) and {two})",
        }[pick]

    def test(self) -> str:
        relation = self._random.choice(("<", ">", "==", "!=", "<=", ">="))
        if self._random.random() < 0.2:
            return f"{self.number()} < {self.name()} {relation} {self.name()}"
        return f"{self.name()} {relation} {self._random.choice((self.name(), self.number()))}"

    def block(self, indent: int, length: int) -> None:
        for _ in range(length):
            self.statement(indent)

    def put(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def statement(self, indent: int) -> None:
        is_nested = indent < 2 and self._random.random() < 0.3
        if is_nested:
            self.nested(indent)
        else:
            self.put(indent, self.simple())

    def simple(self) -> str:
        name, other, value = self.name(), self.name(), self.value()
        key = self._random.choice(_KEYS)
        box, shelf = self._random.choice(("o", "p", "q")), self._random.choice(("xs", "ys"))
        return self._random.choice(
            (
                f"{name} = {value}",
                f"{name} = {value}",
                f"{name} += {value}",
                f"{name}, {other} = {other}, {value}" if name != other else f"{name} = {value}",
                f"{shelf}.append({value})",
                f"{shelf}[{name} % len({shelf})] = {value}",
                f"{name} = {shelf}[{other} % len({shelf})]",
                f"{name} = {shelf}[-1]",
                f"{name} = sum({shelf}[:3])",
                f"ys = {self._random.choice(('xs', 'list(xs)', 'sorted(xs)', 'xs + [1]'))}",
                f"{shelf}.sort(key=lambda n: n % {self.number()})",
                f"t[{key}] = {value}",
                f"t[{key}] += {value}",
                f"{name} = t[{key}]",
                f"{name} = t.get({key}, {self.number()})",
                f"{name} = {self.number()} if {key} in t else {other}",
                f"{name} = max(t.values())",
                f"{box}.{self._random.choice(('low', 'high'))} = {value}",
                f"{name} = {box}.{self._random.choice(('low', 'high', 'both', 'rate'))}",
                f"{name} = {box}.step({value})",
                f"{box}.step({value})",
                f"{name} = {box}.spread()",
                f"q = {self._random.choice(('o', 'p'))}",
                f"{box} = {self._random.choice(('Box', 'Deep'))}({value}, {self.number()})",
                f"{name} = bump({value})",
                f"bump({value})",
                f"{name} = mixed({value}, {other})",
                f"{name} = mixed({value}, {other}, {self.number()}, c={self.number()})",
                f"{name} = mixed(*[{value}, {other}, {self.number()}])",
                f"{name} = sum([n + {self.number()} for n in {shelf} if n > {other}])",
                f"{name} = sum(n * {self.number()} for n in numbers({value}, {other}))",
                f"{name} = len({{n % {self.number()} for n in {shelf}}})",
                f"{name} = more({value})",
                f"{name} = less({value})",
                f"more, less = maker({value})",
                f"{name} = plain({value})",
                f"{name} = G + H",
                f"{name} = len(str({other})) + len(f'{{{name}}} {self.number()}')",
                f"{name} = next(iter({shelf}))",
                f"{name} = min({shelf}, key=lambda n: (n + {self.number()}) % 13)",
                f"{name} = list(map(plain, {shelf}))[0]",
                f"{name} = sum(a * {self.number()} for a, _ in zip({shelf}, [1, 2]))",
                f"{name} = [n for n, _ in enumerate({shelf})][-1]",
            )
        )

    def nested(self, indent: int) -> None:
        length = self._random.randrange(1, 4)
        match self._random.randrange(7):
            case 0 | 1:
                self.put(indent, f"if {self.test()}:")
                self.block(indent + 1, length)
                if self._random.random() < 0.5:
                    self.put(indent, "else:")
                    self.block(indent + 1, length)
            case 2:
                self.put(indent, f"for {self.name()} in range({self._random.randrange(1, 4)}):")
                self.block(indent + 1, length)
            case 3:
                self.put(indent, f"for {self.name()} in list(xs[:3]):")
                self.put(indent + 1, f"if {self.test()}:")
                self.put(indent + 2, self._random.choice(("break", "continue")))
                self.block(indent + 1, length)
            case 4:
                self._names += 1
                at = f"w{self._names}"
                self.put(indent, f"{at} = 0")
                self.put(indent, f"while {at} < {self._random.randrange(1, 4)}:")
                self.put(indent + 1, f"{at} += 1")
                self.block(indent + 1, length)
            case 5:
                self.put(indent, "try:")
                self.put(indent + 1, f"{self.name()} = risky({self.value()})")
                self.block(indent + 1, length)
                self.put(indent, "except ValueError as error:")
                self.put(indent + 1, f"{self.name()} = error.args[0]")
                if self._random.random() < 0.5:
                    self.put(indent, "finally:")
                    self.put(indent + 1, self.simple())
            case 6:
                self.put(indent, f"for {self.name()} in numbers({self.value()}, {self.number()}):")
                self.block(indent + 1, length)


def program(seed: int) -> str:
    """Return the source of a program."""
    writer = _Writer(seed)
    head = _HEAD.format(*(writer.number() for _ in range(15)))
    for name in _NAMES:
        writer.put(1, f"{name} = {writer.number()}")
    writer.put(1, f"xs = [{writer.number()}, {writer.number()}, {writer.number()}]")
    writer.put(1, f"ys = [{writer.number()}, {writer.number()}]")
    writer.put(1, f"t = {{'x': {writer.number()}, 'y': {writer.number()}}}")
    writer.put(1, f"t['z'] = {writer.number()}")
    writer.put(1, f"o = Box({writer.number()})")
    writer.put(1, f"p = Deep({writer.number()}, {writer.number()})")
    writer.put(1, "q = o")
    writer.put(1, f"more, less = maker({writer.number()})")
    writer.block(1, 14)
    body = "\n".join(writer.lines)
    return f"{head}def main():\n{body}\n    return {writer.name()}\nprint(main())\n"
