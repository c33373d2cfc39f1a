"""Sums the odd or the even numbers of a list, after the example of the paper on the general model.

The odd numbers of 1, 2, 3 are 1 and 3, together 4.  (See the end.)
"""


def add(x, y):
    return x + y


def is_even(x):
    return x % 2 == 0


def sum_numbers(numbers, which):
    total = 0
    for i in range(1, len(numbers)):
        if which == "even" and is_even(numbers[i]):
            total = add(total, numbers[i])
        if which == "odd" and not is_even(numbers[i]):
            total = add(total, numbers[i])
    return total


def main():
    print(f"odd numbers of 1, 2, 3: {sum_numbers([1, 2, 3], 'odd')}; expected: 4")


if __name__ == "__main__":
    main()

# The mistake: the loop of sum_numbers begins at the second number; it should be range(len(numbers)).
