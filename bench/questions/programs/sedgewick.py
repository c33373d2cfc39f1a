"""Sedgewick: shell sort with the increments of the textbook, a step at a time."""


def gaps(length):
    found = [1]
    while 3 * found[-1] + 1 < length:
        found.append(3 * found[-1] + 1)
    return found[::-1]


def less(left, right):
    return left < right


def exchange(items, i, j):
    items[i], items[j] = items[j], items[i]


def sift(items, place, gap):
    while place >= gap and less(items[place], items[place - gap]):
        exchange(items, place, place - gap)
        place -= gap


def shell_sort(items):
    for gap in gaps(len(items)):
        for place in range(gap, len(items)):
            sift(items, place, gap)


def main():
    letters = list("SHELLSORT")
    shell_sort(letters)
    print("".join(letters))


if __name__ == "__main__":
    main()
