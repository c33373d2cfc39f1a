"""Adds up the widths of banners; the last one is forgotten."""


def widths(names):
    total = 0
    for name in names:
        text = """
-- {} --
""".format(name)
        total = len(text)
    return total


print(widths(["ab", "abc"]), "expected: 21")
