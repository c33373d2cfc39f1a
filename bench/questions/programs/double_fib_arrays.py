"""BoubleFibArrays: arrays of Fibonacci numbers, and their doubles."""


def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def filled(length):
    numbers = []
    for n in range(length):
        numbers.append(fibonacci(n))
    return numbers


def doubled(number):
    return 2 * number


def all_doubled(numbers):
    return [doubled(number) for number in numbers]


def main():
    numbers = filled(9)
    print(numbers, all_doubled(numbers))


if __name__ == "__main__":
    main()
