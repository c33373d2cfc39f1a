"""A loop of very many turns that makes no calls, and one that fills a list."""

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


size = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
add_up(size)
collect(size)
