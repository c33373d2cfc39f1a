"""StatsMeanFib: mean, variance and median of Fibonacci numbers."""


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def mean(values):
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def deviation(value, middle):
    return (value - middle) ** 2


def variance(values):
    middle = mean(values)
    return mean([deviation(value, middle) for value in values])


def median(values):
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else mean(ordered[half - 1 : half + 1])


def main():
    values = [fibonacci(n) for n in range(8)]
    print(mean(values), variance(values), median(values))


if __name__ == "__main__":
    main()
