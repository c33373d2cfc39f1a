"""Sums a matrix of ones without loops, after the other example of the paper on expanding loops.

Three rows of three ones make nine.  (See the end.)
"""


class Matrix:
    def __init__(self, rows, columns):
        self.rows = rows
        self.columns = columns
        self.cells = [[1] * columns for _ in range(rows)]

    def position(self, row, column):
        return self.cells[row][column]


def sum_rows(matrix, row, result):
    if row == matrix.rows:
        return result
    return sum_rows(matrix, row + 1, sum_columns(matrix, row, 0, result))


def sum_columns(matrix, row, column, result):
    if column >= matrix.columns:
        return result
    result = result + matrix.position(row, column)
    return sum_columns(matrix, row, column + (2 if row == 1 else 1), result)


def sum_matrix(rows, columns):
    return sum_rows(Matrix(rows, columns), 0, 0)


def main():
    print(f"sum: {sum_matrix(3, 3)}; expected: 9")


if __name__ == "__main__":
    main()

# The mistake: sum_columns goes on by two in row 1; it should always go on by one.
