"""Argparser: reads the options of a command line."""


class Option:
    def __init__(self, names, takes_value, kind=str, default=None):
        self.names = names
        self.takes_value = takes_value
        self.kind = kind
        self.default = default

    def matches(self, word):
        return word in self.names

    def key(self):
        return max(self.names, key=len).lstrip("-").replace("-", "_")

    def converted(self, text):
        return self.kind(text)


class Words:
    """What is left to be read."""

    def __init__(self, words):
        self.words = list(words)

    def __bool__(self):
        return bool(self.words)

    def take(self):
        return self.words.pop(0)

    def put_back(self, word):
        self.words.insert(0, word)


class Parser:
    def __init__(self):
        self.options = []

    def add(self, *names, takes_value=False, kind=str, default=None):
        self.options.append(Option(names, takes_value, kind, default))

    def defaults(self):
        return {option.key(): option.default for option in self.options}

    def find(self, word):
        for option in self.options:
            if option.matches(word):
                return option
        raise SystemExit(f"unknown option {word}")

    def parse(self, arguments):
        found, rest, words = self.defaults(), [], Words(arguments)
        while words:
            word = words.take()
            if word == "--":
                rest += words.words
                break
            if not is_option(word):
                rest.append(word)
            else:
                self.read(normal(word, words), words, found)
        return found, rest

    def read(self, word, words, found):
        option = self.find(word)
        value = option.converted(words.take()) if option.takes_value else True
        found[option.key()] = value


def is_option(word):
    return word.startswith("-") and word != "-"


def normal(word, words):
    """Part `--name=value` and `-xyz`."""
    if word.startswith("--"):
        name, sign, value = word.partition("=")
        if sign:
            words.put_back(value)
        return name
    for letter in reversed(word[2:]):
        words.put_back("-" + letter)
    return word[:2]


def main():
    parser = Parser()
    parser.add("-v", "--verbose", default=False)
    parser.add("-n", "--dry-run", default=False)
    parser.add("-j", "--jobs", takes_value=True, kind=int, default=1)
    parser.add("-o", "--output", takes_value=True)
    parser.add("--level", takes_value=True, kind=float, default=0.5)
    line = "-vn build --jobs=4 src --level 0.75 -o out.txt tests -- --not-mine"
    print(*parser.parse(line.split()))


if __name__ == "__main__":
    main()
