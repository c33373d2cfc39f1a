"""Orderings: the same list put in order in four ways."""


def swap(items, i, j):
    items[i], items[j] = items[j], items[i]


def is_before(left, right):
    return left < right


def bubble(items):
    for end in range(len(items) - 1, 0, -1):
        for place in range(end):
            if is_before(items[place + 1], items[place]):
                swap(items, place, place + 1)
    return items


def least(items, start):
    best = start
    for place in range(start + 1, len(items)):
        if items[place] < items[best]:
            best = place
    return best


def selection(items):
    for start in range(len(items) - 1):
        swap(items, start, least(items, start))
    return items


def insert(items, place):
    while place > 0 and items[place] < items[place - 1]:
        swap(items, place, place - 1)
        place -= 1


def insertion(items):
    for place in range(1, len(items)):
        insert(items, place)
    return items


def is_ordered(items):
    return all(left <= right for left, right in zip(items, items[1:]))


def main():
    numbers = [7, 2, 9, 4, 1, 8]
    for way in (bubble, selection, insertion):
        found = way(list(numbers))
        print(way.__name__, found, is_ordered(found))


if __name__ == "__main__":
    main()
