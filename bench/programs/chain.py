"""A loop whose calls all change one object."""

import sys


class Total:
    def __init__(self):
        self.value = 0

    def add(self, number):
        self.value += number


def advance(count):
    total = Total()
    for number in range(count):
        total.add(number)
    return total


advance(int(sys.argv[1]) if len(sys.argv) > 1 else 500_000)
