"""Sums a matrix of ones, after the example of the paper on expanding loops.

Three rows of three ones make nine.  (See the end.)
"""


class Matrix:
    def __init__(self, rows, columns):
        self.rows = rows
        self.columns = columns
        self.cells = [[0] * columns for _ in range(rows)]
        for i in range(rows):
            for j in range(columns):
                self.cells[i][j] = 1

    def position(self, row, column):
        return self.cells[row][column]


def sum_matrix(rows, columns):
    result = 1
    matrix = Matrix(rows, columns)
    for i in range(rows):
        for j in range(columns):
            result += matrix.position(i, j)
    return result


def main():
    print(f"sum: {sum_matrix(3, 3)}; expected: 9")


if __name__ == "__main__":
    main()

# The mistake: sum_matrix starts at 1; it should start at 0.
