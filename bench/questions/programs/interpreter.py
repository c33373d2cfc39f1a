"""Interpreter: runs programs of a small language of statements."""

import re
from dataclasses import dataclass

TOKEN = re.compile(r"\s*(?:(\d+)|(\w+)|(<=|==|:=|[-+*/%<>(){};]))")

PROGRAM = """
n := 2; found := 0;
while n < 14 {
    d := 2; prime := 1;
    while d * d <= n {
        if n % d == 0 { prime := 0 } else { prime := prime };
        d := d + 1
    };
    if prime { found := found + 1; print n } else { skip };
    n := n + 1
};
print found
"""


@dataclass
class Number:
    value: int

    def evaluated(self, _memory):
        return self.value


@dataclass
class Variable:
    name: str

    def evaluated(self, memory):
        return memory[self.name]


@dataclass
class Operation:
    sign: str
    left: object
    right: object

    def evaluated(self, memory):
        return computed(self.sign, self.left.evaluated(memory), self.right.evaluated(memory))


def computed(sign, left, right):
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left // right
        case "%":
            return left % right
        case "<":
            return int(left < right)
        case "<=":
            return int(left <= right)
        case "==":
            return int(left == right)
    raise ValueError(sign)


@dataclass
class Assignment:
    name: str
    term: object

    def run(self, memory):
        memory[self.name] = self.term.evaluated(memory)


@dataclass
class Print:
    term: object

    def run(self, memory):
        print(self.term.evaluated(memory))


@dataclass
class Choice:
    condition: object
    then: object
    otherwise: object

    def run(self, memory):
        (self.then if self.condition.evaluated(memory) else self.otherwise).run(memory)


@dataclass
class While:
    condition: object
    body: object

    def run(self, memory):
        while self.condition.evaluated(memory):
            self.body.run(memory)


@dataclass
class Block:
    statements: list

    def run(self, memory):
        for statement in self.statements:
            statement.run(memory)


class Parser:
    def __init__(self, text):
        self.tokens = [match.group().strip() for match in TOKEN.finditer(text)]

    def peek(self):
        return self.tokens[0] if self.tokens else ""

    def take(self, expected=None):
        token = self.tokens.pop(0)
        if expected and token != expected:
            raise SyntaxError(f"{expected} expected, not {token}")
        return token

    def block(self):
        statements = [self.statement()]
        while self.peek() == ";":
            self.take()
            statements.append(self.statement())
        return Block(statements)

    def braced(self):
        self.take("{")
        block = self.block()
        self.take("}")
        return block

    def statement(self):
        word = self.take()
        if word == "print":
            return Print(self.comparison())
        if word == "skip":
            return Block([])
        if word == "while":
            return While(self.comparison(), self.braced())
        if word == "if":
            condition, then = self.comparison(), self.braced()
            self.take("else")
            return Choice(condition, then, self.braced())
        self.take(":=")
        return Assignment(word, self.comparison())

    def comparison(self):
        return self.operations(self.sum, ("<", "<=", "=="))

    def sum(self):
        return self.operations(self.product, ("+", "-"))

    def product(self):
        return self.operations(self.atom, ("*", "/", "%"))

    def operations(self, part, signs):
        term = part()
        while self.peek() in signs:
            term = Operation(self.take(), term, part())
        return term

    def atom(self):
        token = self.take()
        return Number(int(token)) if token.isdigit() else Variable(token)


def main():
    Parser(PROGRAM).block().run({})


if __name__ == "__main__":
    main()
