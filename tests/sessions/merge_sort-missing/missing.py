"""Merge sort from the bottom up, after the example of the paper on JHyde.

It sorts lists whose length is a power of two.  (See the end.)
"""


def merge(a, left_a, right_a, b, left_b, right_b, c, left_c):
    """Merge the sorted a[left_a:right_a] and b[left_b:right_b] into c from left_c on."""
    while left_a < right_a and left_b < right_b:
        if a[left_a] < b[left_b]:
            c[left_c] = a[left_a]
            left_a += 1
        else:
            c[left_c] = b[left_b]
            left_b += 1
        left_c += 1
    while left_b < right_b:
        c[left_c] = b[left_b]
        left_c += 1
        left_b += 1


def distribute(a, b, c, length):
    """Give pieces of that length from a to b and c, in turns."""
    i = 0
    for j in range(0, len(a), 2 * length):
        for k in range(j // 2, j // 2 + length):
            b[k] = a[i]
            i += 1
        for k in range(j // 2, j // 2 + length):
            c[k] = a[i]
            i += 1


def sort(a):
    b = [0] * len(a)
    c = [0] * len(a)
    size = 1
    while size < len(a):
        distribute(a, b, c, size)
        for i in range(0, len(a) // 2, size):
            merge(b, i, i + size, c, i, i + size, a, 2 * i)
        size *= 2


def main():
    numbers = [4, 9, 1, 7]
    sort(numbers)
    print(f"sorted: {numbers}; expected: [1, 4, 7, 9]")


if __name__ == "__main__":
    main()

# The mistake: merge forgets what is left of a when b has ended.
