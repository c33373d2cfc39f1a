"""BTree: a search tree with several keys in a node (a program of JHyde)."""

from bisect import bisect_left

ORDER = 2
"""A node has from so many to twice as many keys."""


class Page:
    def __init__(self, keys=(), pages=()):
        self.keys = list(keys)
        self.pages = list(pages)

    def is_leaf(self):
        return not self.pages

    def is_full(self):
        return len(self.keys) == 2 * ORDER

    def split(self):
        middle = self.keys[ORDER]
        right = Page(self.keys[ORDER + 1 :], self.pages[ORDER + 1 :])
        del self.keys[ORDER:]
        del self.pages[ORDER + 1 :]
        return middle, right

    def split_child(self, place):
        middle, right = self.pages[place].split()
        self.keys.insert(place, middle)
        self.pages.insert(place + 1, right)

    def insert(self, key):
        place = bisect_left(self.keys, key)
        if self.is_leaf():
            self.keys.insert(place, key)
            return
        if self.pages[place].is_full():
            self.split_child(place)
            if key > self.keys[place]:
                place += 1
        self.pages[place].insert(key)

    def contains(self, key):
        place = bisect_left(self.keys, key)
        if place < len(self.keys) and self.keys[place] == key:
            return True
        return not self.is_leaf() and self.pages[place].contains(key)

    def depth(self):
        return 1 if self.is_leaf() else 1 + self.pages[0].depth()


class BTree:
    def __init__(self):
        self.root = Page()

    def insert(self, key):
        if self.root.is_full():
            self.root = Page((), [self.root])
            self.root.split_child(0)
        self.root.insert(key)


def main():
    tree = BTree()
    for number in range(24):
        tree.insert(number * 7 % 24)
    print(tree.root.depth(), [key for key in range(0, 30, 3) if tree.root.contains(key)])


if __name__ == "__main__":
    main()
