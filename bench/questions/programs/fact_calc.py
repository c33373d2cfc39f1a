"""FactCalc: a calculator for terms with factorials."""


class Calculator:
    """Reads a term from left to right, by recursive descent."""

    def __init__(self, text):
        self.text = text.replace(" ", "")
        self.place = 0

    def peek(self):
        return self.text[self.place : self.place + 1]

    def take(self):
        self.place += 1
        return self.text[self.place - 1]

    def sum(self):
        value = self.product()
        while self.peek() in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self):
        value = self.factorial()
        while self.peek() == "*":
            self.take()
            value *= self.factorial()
        return value

    def factorial(self):
        value = self.atom()
        while self.peek() == "!":
            self.take()
            value = factorial(value)
        return value

    def atom(self):
        if self.peek() == "(":
            self.take()
            value = self.sum()
            self.take()
            return value
        digits = ""
        while self.peek().isdigit():
            digits += self.take()
        return int(digits)


def factorial(n):
    return 1 if n == 0 else n * factorial(n - 1)


def main():
    for text in ("3! + 4 * 5", "(1 + 2)! * 2 - 7", "2 * 5! - 12"):
        print(text, "=", Calculator(text).sum())


if __name__ == "__main__":
    main()
