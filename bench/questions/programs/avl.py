"""Avl: a search tree that balances itself (a program of JHyde)."""


class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None
        self.height = 1


def height(node):
    return node.height if node else 0


def update(node):
    node.height = 1 + max(height(node.left), height(node.right))


def balance(node):
    return height(node.left) - height(node.right)


def rotated_right(node):
    top = node.left
    node.left, top.right = top.right, node
    update(node)
    update(top)
    return top


def rotated_left(node):
    top = node.right
    node.right, top.left = top.left, node
    update(node)
    update(top)
    return top


def balanced(node):
    update(node)
    if balance(node) > 1:
        if balance(node.left) < 0:
            node.left = rotated_left(node.left)
        return rotated_right(node)
    if balance(node) < -1:
        if balance(node.right) > 0:
            node.right = rotated_right(node.right)
        return rotated_left(node)
    return node


def inserted(node, key):
    if node is None:
        return Node(key)
    if key < node.key:
        node.left = inserted(node.left, key)
    elif key > node.key:
        node.right = inserted(node.right, key)
    return balanced(node)


def contains(node, key):
    while node and node.key != key:
        node = node.left if key < node.key else node.right
    return node is not None


def in_order(node):
    if node:
        yield from in_order(node.left)
        yield node.key
        yield from in_order(node.right)


def main():
    root = None
    for key in (50, 20, 60, 10, 8, 15, 32, 46, 11, 48):
        root = inserted(root, key)
    print(list(in_order(root)), root.key, height(root))
    print(contains(root, 46), contains(root, 47))


if __name__ == "__main__":
    main()
