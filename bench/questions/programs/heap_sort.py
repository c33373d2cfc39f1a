"""HeapSort: orders a list by way of a heap (a program of JHyde)."""


def swap(items, i, j):
    items[i], items[j] = items[j], items[i]


def larger_child(items, place, size):
    child = 2 * place + 1
    if child + 1 < size and items[child + 1] > items[child]:
        child += 1
    return child


def sift_down(items, place, size):
    while 2 * place + 1 < size:
        child = larger_child(items, place, size)
        if items[place] >= items[child]:
            break
        swap(items, place, child)
        place = child


def heapify(items):
    for place in reversed(range(len(items) // 2)):
        sift_down(items, place, len(items))


def heap_sort(items):
    heapify(items)
    for size in reversed(range(1, len(items))):
        swap(items, 0, size)
        sift_down(items, 0, size)
    return items


def main():
    print(heap_sort([12, 3, 17, 8, 25, 1, 19, 6, 30, 11]))


if __name__ == "__main__":
    main()
