"""Romantic numbers: Roman figures to numbers, added, and back."""

VALUES = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}
FIGURES = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)


class Roman:
    def __init__(self, text):
        self.text = text

    @classmethod
    def of(cls, number):
        found = []
        for value, figure in FIGURES:
            count, number = divmod(number, value)
            found.append(repeated(figure, count))
        return cls("".join(found))

    def value(self):
        total = 0
        for place, figure in enumerate(self.text):
            amount = value_of(figure)
            if self.is_subtracted(place):
                total -= amount
            else:
                total += amount
        return total

    def is_subtracted(self, place):
        following = self.text[place + 1 : place + 2]
        return bool(following) and value_of(following) > value_of(self.text[place])

    def __add__(self, other):
        return Roman.of(self.value() + other.value())

    def __str__(self):
        return self.text


def value_of(figure):
    return VALUES[figure]


def repeated(figure, count):
    return figure * count


def main():
    total = Roman("XIV")
    for text in ("MCMXC", "XLII"):
        total = total + Roman(text)
    print(total, total.value())


if __name__ == "__main__":
    main()
