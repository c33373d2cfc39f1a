"""BinaryArrays: numbers as arrays of bits, added and multiplied."""


class Bits:
    """A number, the lowest bit first."""

    def __init__(self, bits):
        self.bits = bits

    @classmethod
    def of(cls, number):
        bits = []
        while number:
            bits.append(number % 2)
            number //= 2
        return cls(bits)

    def bit(self, place):
        return self.bits[place] if place < len(self.bits) else 0

    def plus(self, other):
        result, carry = [], 0
        for place in range(max(len(self.bits), len(other.bits)) + 1):
            carry, bit = added(self.bit(place), other.bit(place), carry)
            result.append(bit)
        return Bits(result).trimmed()

    def shifted(self, count):
        return Bits([0] * count + self.bits)

    def times(self, other):
        total = Bits([])
        for place, bit in enumerate(other.bits):
            if bit:
                total = total.plus(self.shifted(place))
        return total

    def trimmed(self):
        while self.bits and not self.bits[-1]:
            self.bits.pop()
        return self

    def number(self):
        return sum(bit << place for place, bit in enumerate(self.bits))


def added(left, right, carry):
    return divmod(left + right + carry, 2)


def main():
    left, right = Bits.of(19), Bits.of(13)
    print(left.plus(right).number(), left.times(right).number())


if __name__ == "__main__":
    main()
