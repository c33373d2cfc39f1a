def tag(name, text):
    return f"<{name}>{text}</{name}>"

def head(title):
    return "  <head>" + tag("title", title) + "</head>"

def items(names):
    lines = ["    <ul>"]
    for name in names:
        lines.append("      " + tag("li", name.strip("e")))
    lines.append("    </ul>")
    return lines

def count(number):
    return "    " + tag("p", f"{number} item" + ("s" if number == 1 else ""))

def render(title, names, number):
    lines = ["<html>", head(title), "  <body>", "    " + tag("h1", title)]
    lines += items(names)
    lines += [count(number), "  </body>", "</html>"]
    return "\n".join(lines) + "\n"
