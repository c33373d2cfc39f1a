"""Drops negative numbers from the list that is gone through: each drop skips the next one."""


def drop_negative(numbers):
    for number in numbers:
        if number < 0:
            numbers.remove(number)
    return numbers


print(drop_negative([4, -1, -2, 5]), "expected: [4, 5]")
