"""FibRecursive: Fibonacci numbers by plain recursion."""


def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def ratio(n):
    return fibonacci(n + 1) / fibonacci(n)


def main():
    for n in range(1, 15):
        print(n, fibonacci(n))
    for n in (5, 9, 13):
        print(n, ratio(n))


if __name__ == "__main__":
    main()
