"""Sorting lists by hand: new lists, index stores, while loops."""
import sys


def numbers(count, seed=12345):
    state = seed
    out = []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2147483648
        out.append(state % 100_000)
    return out


def merge(left, right):
    out = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            out.append(left[i])
            i += 1
        else:
            out.append(right[j])
            j += 1
    out.extend(left[i:])
    out.extend(right[j:])
    return out


def merge_sort(items):
    if len(items) <= 1:
        return items
    middle = len(items) // 2
    return merge(merge_sort(items[:middle]), merge_sort(items[middle:]))


def insertion_sort(items):
    for i in range(1, len(items)):
        value = items[i]
        j = i
        while j > 0 and items[j - 1] > value:
            items[j] = items[j - 1]
            j -= 1
        items[j] = value
    return items


def main(size):
    total = 0
    for turn in range(size):
        ordered = merge_sort(numbers(25_000, turn + 1))
        small = insertion_sort(numbers(500, turn + 7))
        total += ordered[len(ordered) // 2] + small[-1]
    return total


if __name__ == "__main__":
    print(main(int(sys.argv[1]) if len(sys.argv) > 1 else 32))
