"""MergeSort: parts a list in two, orders both halves, merges them (a program of JHyde)."""


def distributed(items):
    middle = len(items) // 2
    return items[:middle], items[middle:]


def merged(left, right):
    result = []
    while left and right:
        result.append(taken(left if left[0] <= right[0] else right))
    return result + left + right


def taken(items):
    return items.pop(0)


def sort(items):
    if len(items) < 2:
        return items
    left, right = distributed(items)
    return merged(sort(left), sort(right))


def main():
    print(sort([31, 4, 15, 92, 65, 35, 89, 79, 32, 38, 46, 26]))


if __name__ == "__main__":
    main()
