"""RndQuicksort: quicksort with pivots taken at random, from a fixed seed."""

import random


def partition(items, low, high, source):
    pivot = chosen(low, high, source)
    swap(items, pivot, high)
    border = low
    for place in range(low, high):
        if items[place] < items[high]:
            swap(items, place, border)
            border += 1
    swap(items, border, high)
    return border


def chosen(low, high, source):
    return source.randint(low, high)


def swap(items, i, j):
    items[i], items[j] = items[j], items[i]


def quicksort(items, low, high, source):
    if low < high:
        middle = partition(items, low, high, source)
        quicksort(items, low, middle - 1, source)
        quicksort(items, middle + 1, high, source)


def main():
    source = random.Random(3)
    items = [source.randrange(100) for _ in range(16)]
    quicksort(items, 0, len(items) - 1, source)
    print(items)


if __name__ == "__main__":
    main()
