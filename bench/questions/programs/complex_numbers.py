"""ComplexNumbers: arithmetic with complex numbers, written out."""

import math


class Complex:
    def __init__(self, real, imaginary=0.0):
        self.real = real
        self.imaginary = imaginary

    def __add__(self, other):
        return Complex(self.real + other.real, self.imaginary + other.imaginary)

    def __sub__(self, other):
        return self + -other

    def __neg__(self):
        return Complex(-self.real, -self.imaginary)

    def __mul__(self, other):
        return Complex(
            self.real * other.real - self.imaginary * other.imaginary,
            self.real * other.imaginary + self.imaginary * other.real,
        )

    def conjugated(self):
        return Complex(self.real, -self.imaginary)

    def squared(self):
        return self.real**2 + self.imaginary**2

    def __truediv__(self, other):
        product = self * other.conjugated()
        size = other.squared()
        return Complex(product.real / size, product.imaginary / size)

    def __abs__(self):
        return math.sqrt(self.squared())

    def __pow__(self, exponent):
        result = Complex(1.0)
        for _ in range(exponent):
            result = result * self
        return result

    def __str__(self):
        return f"{self.real:.3f}{self.imaginary:+.3f}i"


def main():
    left, right = Complex(3.0, 4.0), Complex(1.0, -2.0)
    print(left + right, left - right, left * right, left / right)
    print(abs(left), left**3, right**5)
    print((left + right) * (left - right) / (right * right))


if __name__ == "__main__":
    main()
