"""How deep a program can recurse through C code, which has a limit of its own on some versions."""
import json
import sys

sys.setrecursionlimit(100_000 if sys.version_info >= (3, 12) else 3_000)

def by_sorting(depth):
    global deepest
    deepest = depth
    sorted([1], key=lambda _: by_sorting(depth + 1))

def by_calling(depth):
    global deepest
    deepest = depth
    max(map(by_calling, [depth + 1]))

class Added:
    def __init__(self, depth):
        self.depth = depth
    def __add__(self, other):
        global deepest
        deepest = self.depth
        return sum([Added(self.depth + 1), 1], Added(self.depth + 1))
    def __repr__(self):
        global deepest
        deepest = self.depth
        return repr([Added(self.depth + 1)])

for work in (lambda: by_sorting(0), lambda: by_calling(0), lambda: Added(0) + 1, lambda: repr(Added(0))):
    deepest = 0
    try:
        work()
    except RecursionError as error:
        print(deepest, error)

nested = []
for _ in range(50_000):
    nested = [nested]
for work in (lambda: json.dumps(nested), lambda: nested == nested.copy(), lambda: repr(nested)):
    try:
        print(work())
    except RecursionError as error:
        print(error)
