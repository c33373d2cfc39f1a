"""Finds the first even number; the code behind the loop forgets what was found."""


def first_even(numbers):
    found = None
    for number in numbers:
        if number % 2 == 0:
            found = number
            break
    return None


print(first_even([3, 4, 5]), "expected: 4")
