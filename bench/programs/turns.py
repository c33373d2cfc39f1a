"""A loop of very many turns, one that fills a list, and one whose calls change an object."""

import sys


def add_up(count):
    total = 0
    for number in range(count):
        total += number
    return total


def collect(count):
    found = []
    for number in range(count):
        found.append(number)
    return found


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


size = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
add_up(size)
collect(size)
advance(size // 2)
