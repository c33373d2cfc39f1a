"""FactTrans: factorials by recursion, and the numbers changed into other bases."""

DIGITS = "0123456789abcdef"


def factorial(n):
    return 1 if n == 0 else n * factorial(n - 1)


def transformed(number, base):
    if number < base:
        return DIGITS[number]
    return transformed(number // base, base) + DIGITS[number % base]


def main():
    for n in range(1, 11):
        number = factorial(n)
        print(n, number, *(transformed(number, base) for base in (2, 8, 16)))


if __name__ == "__main__":
    main()
