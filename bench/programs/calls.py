"""Many small calls: recursion, closures, default and keyword arguments."""
import sys


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def compose(*functions):
    def composed(value):
        for function in functions:
            value = function(value)
        return value
    return composed


def scaled(value, factor=3, *, offset=1):
    return value * factor + offset


def main(size):
    sys.setrecursionlimit(10_000)
    total = fib(20 + size // 4)
    total += ackermann(2, 40 + 40 * size)
    step = compose(lambda x: x + 1, lambda x: x % 1009, scaled)
    value = 1
    for _ in range(25_000 * size):
        value = step(value) % 100_003
    return total + value


if __name__ == "__main__":
    print(main(int(sys.argv[1]) if len(sys.argv) > 1 else 48))
