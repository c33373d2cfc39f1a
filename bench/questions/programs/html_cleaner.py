"""HTMLcleaner: makes well-formed HTML of what people write."""

PAGE = """<!DOCTYPE html><HTML><head><title>Ordering  in</title>
<meta charset=utf-8><script>if (a < b) alert("no")</script></head>
<body bgcolor=white><h1>Sorting <em>in</h1>
<p class="first" onclick="evil()">There are <b>many <i>ways</b> to sort &mdash; some quick.
<p>Here is a list:
<ul><li>bubble<li>merge <a href='merge.html' target=_blank>sort</a><li>quick<br>sort</ul>
<table><tr><td>n<td>steps<tr><td>10<td>33 &lt; 100<tr><td>100<td>664</table>
<img src=graph.png alt="A graph"><font size=7>The end</font>
<p>Unknown &entity; and a stray </div> here.
</body></html>
"""
EMPTY = {"br", "img", "meta", "hr"}
REMOVED = {"script", "style"}
UNWRAPPED = {"font", "center"}
CLOSED_BY = {
    "li": {"li"},
    "p": {"p", "ul", "table", "h1", "div"},
    "td": {"td", "tr"},
    "tr": {"tr"},
}
KEPT_ATTRIBUTES = {"href", "src", "alt", "class", "charset"}
ENTITIES = {"lt", "gt", "amp", "mdash", "quot"}


class Token:
    def __init__(self, kind, text, attributes=None):
        self.kind = kind
        self.text = text
        self.attributes = attributes or {}

    def is_start(self):
        return self.kind == "start"

    def is_end(self):
        return self.kind == "end"


class Scanner:
    """Text in, tokens out."""

    def __init__(self, text):
        self.text = text
        self.place = 0

    def at_end(self):
        return self.place >= len(self.text)

    def peek(self):
        return self.text[self.place : self.place + 1]

    def take(self):
        self.place += 1
        return self.text[self.place - 1]

    def take_while(self, wanted):
        found = []
        while not self.at_end() and wanted(self.peek()):
            found.append(self.take())
        return "".join(found)

    def tokens(self):
        while not self.at_end():
            yield self.tag() if self.peek() == "<" else self.characters()

    def characters(self):
        return Token("text", self.take_while(is_text))

    def tag(self):
        self.take()
        if self.peek() == "!":
            text = self.take_while(is_in_tag)
            self.take()
            return Token("doctype", text)
        kind = "start"
        if self.peek() == "/":
            self.take()
            kind = "end"
        name = self.take_while(is_name).lower()
        attributes = self.attributes()
        self.take()
        return Token(kind, name, attributes)

    def attributes(self):
        found = {}
        self.take_while(str.isspace)
        while not self.at_end() and self.peek() != ">":
            name = self.take_while(is_name).lower()
            if name:
                found[name] = self.value()
            else:
                self.take()
            self.take_while(str.isspace)
        return found

    def value(self):
        if self.peek() != "=":
            return ""
        self.take()
        if self.peek() in "'\"":
            quote = self.take()
            text = self.take_while(lambda character: character != quote)
            self.take()
            return text
        return self.take_while(is_bare)


def is_text(character):
    return character != "<"


def is_in_tag(character):
    return character != ">"


def is_name(character):
    return character.isalnum() or character in "-_"


def is_bare(character):
    return not character.isspace() and character != ">"


class Element:
    def __init__(self, tag, attributes=None):
        self.tag = tag
        self.attributes = attributes or {}
        self.children = []

    def append(self, child):
        self.children.append(child)


class Builder:
    """Tokens in, a tree of elements out, whatever was forgotten or crossed."""

    def __init__(self):
        self.root = Element("")
        self.open = [self.root]

    def current(self):
        return self.open[-1]

    def handle(self, token):
        if token.is_start():
            self.start(token)
        elif token.is_end():
            self.end(token.text)
        elif token.kind == "text" and token.text.strip():
            self.current().append(token.text)

    def start(self, token):
        while is_closed_by(self.current().tag, token.text):
            self.open.pop()
        element = Element(token.text, token.attributes)
        self.current().append(element)
        if token.text not in EMPTY:
            self.open.append(element)

    def end(self, tag):
        if not self.is_open(tag):
            return
        while self.open.pop().tag != tag:
            pass

    def is_open(self, tag):
        return any(element.tag == tag for element in self.open)


def is_closed_by(tag, other):
    return other in CLOSED_BY.get(tag, ())


class Cleaner:
    """Takes out what is not wanted."""

    def cleaned(self, element):
        result = Element(element.tag, self.attributes(element))
        for child in element.children:
            for each in self.child(child):
                result.append(each)
        return result

    def child(self, child):
        if isinstance(child, str):
            return [self.text(child)]
        if child.tag in REMOVED:
            return []
        cleaned = self.cleaned(child)
        return cleaned.children if child.tag in UNWRAPPED else [cleaned]

    def attributes(self, element):
        return {name: text for name, text in element.attributes.items() if self.is_kept(name)}

    def is_kept(self, name):
        return name in KEPT_ATTRIBUTES

    def text(self, text):
        first, *parts = " ".join(text.split()).split("&")
        return first + "".join(self.entity(part) for part in parts)

    def entity(self, part):
        name, sign, _ = part.partition(";")
        return ("&" if sign and name in ENTITIES else "&amp;") + part


class Writer:
    def __init__(self):
        self.lines = []

    def write(self, node, depth):
        if isinstance(node, str):
            self.line(node, depth)
        elif node.tag in EMPTY:
            self.line(f"<{node.tag}{self.attributes(node)}/>", depth)
        else:
            self.line(f"<{node.tag}{self.attributes(node)}>", depth)
            for child in node.children:
                self.write(child, depth + 1)
            self.line(f"</{node.tag}>", depth)

    def attributes(self, node):
        return "".join(self.attribute(*each) for each in sorted(node.attributes.items()))

    def attribute(self, name, value):
        return f' {name}="{value}"'

    def line(self, text, depth):
        self.lines.append("  " * depth + text)


def main():
    builder = Builder()
    for token in Scanner(PAGE).tokens():
        builder.handle(token)
    writer = Writer()
    for child in Cleaner().cleaned(builder.root).children:
        writer.write(child, 0)
    print("\n".join(writer.lines))


if __name__ == "__main__":
    main()
