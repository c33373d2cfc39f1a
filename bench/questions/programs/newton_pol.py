"""NewtonPol: the zero of a polynomial by Newton's method."""


class Polynomial:
    """Coefficients, the lowest power first."""

    def __init__(self, *coefficients):
        self.coefficients = coefficients

    def at(self, x):
        value = 0.0
        for coefficient in reversed(self.coefficients):
            value = value * x + coefficient
        return value

    def derived(self):
        return Polynomial(*(n * c for n, c in enumerate(self.coefficients) if n))


def step(function, slope, x):
    return x - function.at(x) / slope.at(x)


def zero(function, start, error=1e-12):
    slope = function.derived()
    x, following = start, step(function, slope, start)
    while abs(following - x) > error:
        x, following = following, step(function, slope, following)
    return following


def main():
    print(round(zero(Polynomial(-2.0, -5.0, 0.0, 1.0), 40.0), 9))


if __name__ == "__main__":
    main()
