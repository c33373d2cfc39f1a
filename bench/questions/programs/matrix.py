"""Matrix: sums the positions of a matrix in two loops (the example of Loops)."""


class Matrix:
    def __init__(self, rows, columns):
        self.numbers = [[row * columns + column for column in range(columns)] for row in range(rows)]

    def position(self, row, column):
        return self.numbers[row][column]


def main():
    rows, columns, result = 6, 6, 0
    matrix = Matrix(rows, columns)
    for row in range(rows):
        for column in range(columns):
            result += matrix.position(row, column)
    print(result)


if __name__ == "__main__":
    main()
