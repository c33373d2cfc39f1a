"""Code that is compiled while the program runs: `compiled.py KIND COUNT`."""
import sys

PAGE = """
<h1>{{ title }}</h1>
{% for item in items %}
  {% if item > 2 %}<b>{{ item }}</b>{% else %}<i>{{ item }}</i>{% end %}
{% end %}
"""


def template(text):
    """Make a function of a template, as template engines do: by compiling source."""
    lines, depth = ["def render(title, items):", "    out = []"], 1
    for piece in text.replace("{{", "\0=").replace("{%", "\0%").split("\0"):
        rest = piece
        if piece.startswith("="):
            code, rest = piece[1:].split("}}", 1)
            lines.append("    " * depth + f"out.append(str({code.strip()}))")
        elif piece.startswith("%"):
            code, rest = piece[1:].split("%}", 1)
            code = code.strip()
            depth -= code in ("end", "else")
            if code != "end":
                lines.append("    " * depth + f"{code}:")
                depth += 1
        if rest:
            lines.append("    " * depth + f"out.append({rest!r})")
    namespace = {}
    exec(compile("\n".join([*lines, "    return ''.join(out)"]), "<template>", "exec"), namespace)
    return namespace["render"]


def templates(count):
    for number in range(count // 50):
        render = template(PAGE)   # the same text each time: no cache of its own
        for _ in range(10):
            render(number, range(5))


def same(count):
    x = 3
    for _ in range(count):
        eval("x + 1")


def different(count):
    x = 3
    for number in range(count):
        eval(f"x + {number}")


def functions(count):
    for number in range(count):
        exec(f"def f(a):\n    b = a + {number}\n    return b\ny = f({number})")


{each.__name__: each for each in (templates, same, different, functions)}[sys.argv[1]](int(sys.argv[2]))
