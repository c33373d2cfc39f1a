"""Looks for a number in a table, row by row; columns count from one."""


def place(table, wanted):
    for row, numbers in enumerate(table):
        for column, number in enumerate(numbers):
            if number == wanted:
                return row, column + 1
    return None


print(place([[1, 2], [3, 4]], 3), "expected: (1, 0)")
