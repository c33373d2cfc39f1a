"""Kxml2: a pull parser for XML, and a table made of what it finds."""

DOCUMENT = """<?xml version="1.0"?>
<!-- what is in stock -->
<library place="Valencia">
  <book id="b1" year="1982"><title>Algorithmic Program Debugging</title>
    <author>Shapiro</author><price currency="USD">45.00</price></book>
  <book id="b2" year="1998"><title>Declarative Debugging &amp; Laziness</title>
    <author>Nilsson</author><price currency="SEK">120.50</price></book>
  <book id="b3" year="2005"><title>Practical Debugging of &lt;Mercury&gt;</title>
    <author>MacLarty</author><lent/><price currency="AUD">30.25</price></book>
</library>
"""
ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"'}


class PullParser:
    """Gives one event after another: start, text, end."""

    def __init__(self, text):
        self.text = text
        self.place = 0
        self.open = []
        self.pending = None

    def peek(self):
        return self.text[self.place : self.place + 1]

    def starts_with(self, text):
        return self.text.startswith(text, self.place)

    def skip(self, text):
        if not self.starts_with(text):
            raise SyntaxError(f"{text!r} expected at {self.place}")
        self.place += len(text)

    def skip_spaces(self):
        while self.peek().isspace():
            self.place += 1

    def until(self, text):
        end = self.text.index(text, self.place)
        found = self.text[self.place : end]
        self.place = end
        return found

    def name(self):
        start = self.place
        while is_name(self.peek()):
            self.place += 1
        return self.text[start : self.place]

    def next(self):
        if self.pending is not None:
            event, self.pending = self.pending, None
            self.open.pop()
            return event
        while self.starts_with("<?") or self.starts_with("<!--"):
            self.skip_special()
        if not self.peek():
            return "stop", "", {}
        if self.starts_with("</"):
            return self.end_tag()
        if self.starts_with("<"):
            return self.start_tag()
        return "text", unescaped(self.characters()), {}

    def skip_special(self):
        end = "?>" if self.starts_with("<?") else "-->"
        self.until(end)
        self.skip(end)
        self.skip_spaces()

    def characters(self):
        return self.until("<") if "<" in self.text[self.place :] else self.rest()

    def rest(self):
        found = self.text[self.place :]
        self.place = len(self.text)
        return found

    def start_tag(self):
        self.skip("<")
        tag, attributes = self.name(), self.attributes()
        self.open.append(tag)
        if self.starts_with("/>"):
            self.skip("/>")
            self.pending = "end", tag, {}
        else:
            self.skip(">")
        return "start", tag, attributes

    def attributes(self):
        found = {}
        self.skip_spaces()
        while is_name(self.peek()):
            key = self.name()
            self.skip('="')
            found[key] = unescaped(self.until('"'))
            self.skip('"')
            self.skip_spaces()
        return found

    def end_tag(self):
        self.skip("</")
        tag = self.name()
        self.skip(">")
        if self.open.pop() != tag:
            raise SyntaxError(f"{tag} is closed too early")
        return "end", tag, {}


def is_name(character):
    return character.isalnum() or character in ("-", "_", ":")


def unescaped(text):
    before, sign, rest = text.partition("&")
    if not sign:
        return before
    entity, _, rest = rest.partition(";")
    return before + ENTITIES[entity] + unescaped(rest)


class Table:
    """Rows of what lies between the tags."""

    def __init__(self):
        self.rows = []
        self.tag = ""

    def handle(self, kind, text, attributes):
        if kind == "start":
            self.start(text, attributes)
        elif kind == "text" and self.rows:
            self.characters(text.strip())

    def start(self, tag, attributes):
        self.tag = tag
        if tag == "book":
            self.rows.append(dict(attributes))
        elif self.rows:
            self.rows[-1][tag] = ""

    def characters(self, text):
        if text:
            self.rows[-1][self.tag] += text


def main():
    parser, table = PullParser(DOCUMENT), Table()
    event = parser.next()
    while event[0] != "stop":
        table.handle(*event)
        event = parser.next()
    for row in table.rows:
        print(row)


if __name__ == "__main__":
    main()
