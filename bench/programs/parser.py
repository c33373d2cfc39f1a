"""A JSON parser written by hand: text, indexes, dictionaries, recursion."""
import sys


class Parser:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def blank(self):
        text = self.text
        while self.at < len(text) and text[self.at] in " \n\t":
            self.at += 1

    def value(self):
        self.blank()
        char = self.text[self.at]
        if char == "{":
            return self.table()
        if char == "[":
            return self.sequence()
        if char == '"':
            return self.string()
        if char in "-0123456789":
            return self.number()
        for word, value in (("true", True), ("false", False), ("null", None)):
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return value
        raise ValueError(f"unexpected {char!r} at {self.at}")

    def table(self):
        found = {}
        self.at += 1
        self.blank()
        while self.text[self.at] != "}":
            key = self.string()
            self.blank()
            self.at += 1
            found[key] = self.value()
            self.blank()
            if self.text[self.at] == ",":
                self.at += 1
                self.blank()
        self.at += 1
        return found

    def sequence(self):
        found = []
        self.at += 1
        self.blank()
        while self.text[self.at] != "]":
            found.append(self.value())
            self.blank()
            if self.text[self.at] == ",":
                self.at += 1
        self.at += 1
        return found

    def string(self):
        start = self.at = self.at + 1
        while self.text[self.at] != '"':
            self.at += 1
        self.at += 1
        return self.text[start:self.at - 1]

    def number(self):
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in "-+.eE0123456789":
            self.at += 1
        text = self.text[start:self.at]
        return float(text) if "." in text else int(text)


def document(count):
    rows = [
        f'{{"id": {i}, "name": "item {i}", "price": {i / 7:.2f}, "tags": ["a", "b{i % 5}"], '
        f'"ok": {"true" if i % 2 else "false"}, "none": null}}'
        for i in range(count)
    ]
    return '{"rows": [' + ", ".join(rows) + "]}"


def main(size):
    total = 0
    for _ in range(size):
        found = Parser(document(1_100)).value()
        total += sum(row["id"] for row in found["rows"] if row["ok"])
    return total


if __name__ == "__main__":
    print(main(int(sys.argv[1]) if len(sys.argv) > 1 else 96))
