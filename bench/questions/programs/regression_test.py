"""RegresionTest: the straight line that fits points best."""


def mean(values):
    return sum(values) / len(values)


def spread(xs, ys):
    x_mean, y_mean = mean(xs), mean(ys)
    return sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys))


def slope(xs, ys):
    return spread(xs, ys) / spread(xs, xs)


def fitted(xs, ys):
    gradient = slope(xs, ys)
    return gradient, mean(ys) - gradient * mean(xs)


def predicted(line, x):
    gradient, start = line
    return gradient * x + start


def main():
    xs, ys = [1.0, 2.0, 3.0, 4.0, 5.0], [2.1, 3.9, 6.2, 7.8, 10.1]
    line = fitted(xs, ys)
    print(line, [predicted(line, x) for x in xs])


if __name__ == "__main__":
    main()
