"""A shop that gives one customer too much discount.  Where is the mistake?  (See the end.)"""


class Line:
    def __init__(self, name, price, count):
        self.name = name
        self.price = price
        self.count = count

    def total(self):
        return self.price * self.count

    def rebate(self, percent):
        self.price = self.price * (100 - percent) / 100


class Cart:
    def __init__(self, owner):
        self.owner = owner
        self.lines = []

    def add(self, name, price, count=1):
        for line in self.lines:
            if line.name == name:
                line.count += count
                return line
        self.lines.append(Line(name, price, count))
        return self.lines[-1]

    def apply(self, code):
        percent = discount_of(code)
        for line in self.lines:
            if line.total() >= 20:
                line.rebate(percent)
            if line.count >= 3:
                line.rebate(percent)

    def total(self):
        return sum(line.total() for line in self.lines)


def discount_of(code):
    try:
        return {"TEN": 10, "HALF": 50}[code]
    except KeyError:
        return 0


def main():
    cart = Cart("eva")
    cart.add("pen", 2.0, 3)
    cart.add("book", 10.0, 2)
    cart.add("pencil case", 10.0)
    cart.add("pen", 2.0, 9)
    cart.apply("TEN")
    print(f"{cart.owner} pays {cart.total():.2f}; expected: 49.60")


if __name__ == "__main__":
    main()

# The mistake: Cart.apply gives the rebate twice to a line that is both expensive and large;
# the second `if` should be `elif`.  12 pens at 2.00 cost 21.60 with ten percent off, not 19.44.
