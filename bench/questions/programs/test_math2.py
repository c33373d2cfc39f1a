"""TestMath2: sums, series and tables of numbers in nested loops."""


def square(x):
    return x * x


def divides(a, b):
    return b % a == 0


def divisors(n):
    return [d for d in range(1, n) if divides(d, n)]


def is_perfect(n):
    return sum(divisors(n)) == n


def sum_of_squares(n):
    total = 0
    for x in range(n):
        total += square(x)
    return total


def table(size):
    return [[product(row, column) for column in range(size)] for row in range(size)]


def product(row, column):
    return row * column


def main():
    print([n for n in range(2, 15) if is_perfect(n)])
    print(sum_of_squares(40))
    for row in table(7):
        print(*row)


if __name__ == "__main__":
    main()
