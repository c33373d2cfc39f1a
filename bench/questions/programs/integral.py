"""Integral: the area below a curve, by trapeziums."""


def curve(x):
    return x * x + 1.0


def area(function, left, right):
    return (function(left) + function(right)) / 2 * (right - left)


def integral(function, start, stop, parts):
    width = (stop - start) / parts
    total = 0.0
    for part in range(parts):
        total += area(function, start + part * width, start + (part + 1) * width)
    return total


def main():
    print(integral(curve, 0.0, 2.0, 8))


if __name__ == "__main__":
    main()
