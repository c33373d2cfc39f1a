"""A small spreadsheet.  After a change some cells keep their old value.  (See the end.)

A cell holds a number, a text or a formula such as =A1*(B2+3) or =SUM(A1:A4).  Values are computed
when they are asked for and kept until something changes that they rest on.
"""

import re


class SheetError(Exception):
    """A formula that has no value."""

    mark = "#ERROR"


class Circular(SheetError):
    mark = "#LOOP"


class NoNumber(SheetError):
    mark = "#VALUE"


# --- Formulas -----------------------------------------------------------------------------------

TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([A-Z]+(?=\())|([A-Z]\d+)|(.))")


def tokens(text):
    for number, function, cell, sign in TOKEN.findall(text):
        if number:
            yield "number", float(number)
        elif function:
            yield "function", function
        elif cell:
            yield "cell", cell
        elif sign.strip():
            yield "sign", sign
    yield "end", ""


class Parser:
    """Recursive descent: sum -> product -> factor."""

    def __init__(self, text):
        self.stream = tokens(text)
        self.kind, self.value = next(self.stream)

    def advance(self):
        taken = self.value
        self.kind, self.value = next(self.stream)
        return taken

    def accept(self, sign):
        if self.kind == "sign" and self.value == sign:
            self.advance()
            return True
        return False

    def expect(self, sign):
        if not self.accept(sign):
            raise SheetError(f"expected {sign}, found {self.value or 'the end'}")

    def sum(self):
        left = self.product()
        while True:
            if self.accept("+"):
                left = ("+", left, self.product())
            elif self.accept("-"):
                left = ("-", left, self.product())
            else:
                return left

    def product(self):
        left = self.factor()
        while True:
            if self.accept("*"):
                left = ("*", left, self.factor())
            elif self.accept("/"):
                left = ("/", left, self.factor())
            else:
                return left

    def factor(self):
        if self.kind == "number":
            return ("number", self.advance())
        if self.kind == "cell":
            return ("cell", self.advance())
        if self.kind == "function":
            name = self.advance()
            self.expect("(")
            first = self.advance()
            self.expect(":")
            last = self.advance()
            self.expect(")")
            return ("range", name, cells_between(first, last))
        if self.accept("("):
            inner = self.sum()
            self.expect(")")
            return inner
        raise SheetError(f"can't read {self.value or 'the end'}")


def cells_between(first, last):
    """Return the names of all cells from one corner to the other."""
    columns = range(ord(first[0]), ord(last[0]) + 1)
    rows = range(int(first[1:]), int(last[1:]) + 1)
    return [f"{chr(column)}{row}" for column in columns for row in rows]


def parse(text):
    parser = Parser(text)
    tree = parser.sum()
    if parser.kind != "end":
        raise SheetError(f"did not expect {parser.value}")
    return tree


def used_cells(tree):
    """Yield the cells that a formula mentions."""
    kind, *rest = tree
    if kind == "cell":
        yield rest[0]
    elif kind == "range":
        yield from rest[1]
    elif kind != "number":
        for part in rest:
            yield from used_cells(part)


# --- The sheet ----------------------------------------------------------------------------------


class Sheet:
    FUNCTIONS = {
        "SUM": sum,
        "MAX": max,
        "COUNT": len,
    }

    def __init__(self):
        self.contents = {}
        self.formulas = {}
        self.values = {}
        self.computed = 0

    def set(self, name, text):
        """Put a text into a cell and forget what was computed from the old one."""
        self.contents[name] = text
        self.formulas.pop(name, None)
        if text.startswith("="):
            self.formulas[name] = parse(text[1:])
        self.forget(name)

    def forget(self, name):
        self.values.pop(name, None)
        for other in self.dependents(name):
            self.values.pop(other, None)

    def dependents(self, name):
        """Return all cells whose value rests on this one, directly or through others."""
        found = []
        for other, formula in self.formulas.items():
            if name in used_cells(formula):
                found.append(other)
        return found

    def value(self, name, pending=()):
        if name in pending:
            raise Circular(" -> ".join([*pending, name]))
        if name not in self.values:
            self.values[name] = self.compute(name, (*pending, name))
        return self.values[name]

    def compute(self, name, pending):
        self.computed += 1
        if name in self.formulas:
            return self.evaluate(self.formulas[name], pending)
        text = self.contents.get(name, "0")
        try:
            return float(text)
        except ValueError:
            return text

    def number(self, name, pending):
        value = self.value(name, pending)
        if isinstance(value, str):
            raise NoNumber(f"{name} is {value!r}")
        return value

    def evaluate(self, tree, pending):
        kind, *rest = tree
        if kind == "number":
            return rest[0]
        if kind == "cell":
            return self.number(rest[0], pending)
        if kind == "range":
            name, cells = rest
            return self.FUNCTIONS[name]([self.number(cell, pending) for cell in cells])
        left = self.evaluate(rest[0], pending)
        right = self.evaluate(rest[1], pending)
        if kind == "+":
            return left + right
        if kind == "-":
            return left - right
        if kind == "*":
            return left * right
        return left / right

    def shown(self, name):
        try:
            value = self.value(name)
        except SheetError as problem:
            return problem.mark
        return value if isinstance(value, str) else f"{value:g}"


ORDER = {
    "A1": "pens",
    "B1": "12",
    "C1": "2.5",
    "D1": "=B1*C1",
    "A2": "books",
    "B2": "2",
    "C2": "10",
    "D2": "=B2*C2",
    "D3": "=SUM(D1:D2)",
    "D4": "=D3*(1+20/100)",
    "D5": "=A1+1",
    "D6": "=D6+1",
}


def row(sheet, names):
    return "  ".join(f"{name} {sheet.shown(name)}" for name in names)


def main():
    sheet = Sheet()
    for name, text in ORDER.items():
        sheet.set(name, text)
    print("before:", row(sheet, ["B1", "D1", "D2", "D3", "D4", "D5", "D6"]))
    sheet.set("B1", "20")
    print("after: ", row(sheet, ["B1", "D1", "D2", "D3", "D4", "D5", "D6"]))
    print(f"20 pens at 2.5 and 2 books at 10, 20 % tax: {sheet.shown('D4')}; expected: 84")


if __name__ == "__main__":
    main()

# The mistake: Sheet.dependents finds only the cells that mention the changed one themselves (D1), not
# those that rest on these in turn (D3, D4): it should go on from each cell it finds.
