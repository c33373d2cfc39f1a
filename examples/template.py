"""A little template engine.  It stops with an exception on a template that is right.  (See the end.)

A template has texts, {{ name }} or {{ name.field }} or {{ name | filter }}, {% for x in names %} ...
{% end %} and {% if name %} ... {% end %}.  Inside a loop all names from outside are still known.
"""

import re

TEMPLATE = """\
Dear {{ team.name | title }},
{% for player in team.players %}
{% if player.goals %}
* {{ player.name | title }} of {{ team.name | title }}:
{% for goal in player.goals %}
   {{ player.name }}, minute {{ goal }}
{% end %}
{% end %}
{% end %}
Played: {{ games | count }} times. {{ greeting }}
"""

DATA = {
    "team": {
        "name": "red rovers",
        "players": [
            {"name": "ada", "goals": [12, 77]},
            {"name": "bob", "goals": []},
            {"name": "cyd", "goals": [40]},
        ],
    },
    "games": ["blue", "green", "grey"],
    "greeting": "See you!",
}


class TemplateError(Exception):
    """The template, or what it is filled with, is not as it should be."""


class UndefinedName(TemplateError):
    def __init__(self, name):
        super().__init__(f"{name} is not defined")
        self.name = name


# --- From text to parts -------------------------------------------------------------------------

TAG = re.compile(r"({{.*?}}|{%.*?%}\n?)")


def pieces(text):
    """Yield (kind, text) for each piece of a template."""
    for piece in TAG.split(text):
        if piece.startswith("{{"):
            yield "value", piece[2:-2].strip()
        elif piece.startswith("{%"):
            yield "tag", piece.strip()[2:-2].strip()
        elif piece:
            yield "text", piece


class Text:
    def __init__(self, text):
        self.text = text

    def render(self, scope):
        yield self.text


class Value:
    FILTERS = {"title": str.title, "count": len}

    def __init__(self, expression):
        name, *filters = (part.strip() for part in expression.split("|"))
        self.name = name
        self.filters = filters

    def render(self, scope):
        value = scope.find(self.name)
        for name in self.filters:
            if name not in self.FILTERS:
                raise TemplateError(f"there is no filter {name}")
            value = self.FILTERS[name](value)
        yield str(value)


class Block:
    """Parts one after the other."""

    def __init__(self):
        self.parts = []

    def add(self, part):
        self.parts.append(part)
        return part

    def render(self, scope):
        for part in self.parts:
            yield from part.render(scope)


class Loop(Block):
    def __init__(self, variable, source):
        super().__init__()
        self.variable = variable
        self.source = source

    def render(self, scope):
        for value in scope.find(self.source):
            yield from super().render(scope.inside({self.variable: value}))


class Condition(Block):
    def __init__(self, name):
        super().__init__()
        self.name = name

    def render(self, scope):
        if scope.find(self.name):
            yield from super().render(scope.inside({}))


def block_for(tag):
    match tag.split():
        case ["for", variable, "in", source]:
            return Loop(variable, source)
        case ["if", name]:
            return Condition(name)
        case _:
            raise TemplateError(f"nobody knows the tag {tag}")


def compiled(text):
    """Return the block that a template describes."""
    open_blocks = [Block()]
    for kind, content in pieces(text):
        if kind == "text":
            open_blocks[-1].add(Text(content))
        elif kind == "value":
            open_blocks[-1].add(Value(content))
        elif content == "end":
            if len(open_blocks) == 1:
                raise TemplateError("an end too many")
            open_blocks.pop()
        else:
            open_blocks.append(open_blocks[-1].add(block_for(content)))
    if len(open_blocks) > 1:
        raise TemplateError("an end is missing")
    return open_blocks[0]


# --- Names --------------------------------------------------------------------------------------


class Scope:
    """The names known at a place: its own, then those of the place around it."""

    def __init__(self, names, around=None):
        self.names = names
        self.around = around

    def inside(self, names):
        """Return the scope of a place inside of this one."""
        if not names:
            return Scope(self.names, self.around)
        if self.around is None:
            return Scope(names, self)
        return Scope(names, self.around)

    def lookup(self, name):
        if name in self.names:
            return self.names[name]
        if self.around is None:
            raise UndefinedName(name)
        return self.around.lookup(name)

    def find(self, path):
        """Return the value of a name or of name.field."""
        name, *fields = path.split(".")
        value = self.lookup(name)
        for field in fields:
            try:
                value = value[field]
            except KeyError:
                raise UndefinedName(path) from None
        return value


def render(text, data):
    return "".join(compiled(text).render(Scope(data)))


def greet(name):
    """A smaller template, to see that the simple things work."""
    try:
        return render("Hello {{ name | title }}! {{ weather }}", {"name": name})
    except UndefinedName as problem:
        return f"(no greeting: {problem})"


def main():
    print(render("Hello {{ name | title }}!", {"name": "ada"}))
    print(greet("bob"))
    print(render(TEMPLATE, DATA))


if __name__ == "__main__":
    main()

# What is wrong: UndefinedName is raised for player inside of {% for goal in player.goals %}.
# The mistake: Scope.inside, called on the scope of a loop, gives the scope around that loop as the one
# around the new place, so that the loop's own variable is forgotten.  It should always be self.
