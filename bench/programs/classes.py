"""Objects: attributes, properties, inheritance, operators, a small simulation."""
import sys


class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    @property
    def norm2(self):
        return self.x * self.x + self.y * self.y


class Body:
    def __init__(self, name, mass):
        self.name = name
        self.mass = mass
        self.place = Vector(0.0, 0.0)
        self.speed = Vector(1.0, 0.5)

    def step(self, dt):
        self.place = self.place + self.speed * dt
        self.bounce()

    def bounce(self):
        if self.place.norm2 > 100.0:
            self.speed = self.speed * -1.0


class Heavy(Body):
    def step(self, dt):
        super().step(dt / 2)
        self.mass *= 0.9999


class Account:
    count = 0

    def __init__(self, owner):
        self.owner = owner
        self.balance = 0
        self.history = []
        Account.count += 1

    def pay_in(self, amount):
        self.balance += amount
        self.history.append(amount)

    def pay_out(self, amount):
        if amount > self.balance:
            raise ValueError("not enough")
        self.balance -= amount


def main(size):
    bodies = [Body("a", 1.0), Heavy("b", 5.0), Body("c", 2.0)]
    for _ in range(15_000 * size // 2):
        for body in bodies:
            body.step(0.01)
    accounts = [Account(f"owner {i}") for i in range(100)]
    failed = 0
    for i in range(25_000 * size // 2):
        account = accounts[i % 100]
        account.pay_in(i % 17)
        try:
            account.pay_out(i % 31)
        except ValueError:
            failed += 1
    return round(sum(body.place.norm2 for body in bodies), 3), failed


if __name__ == "__main__":
    print(main(int(sys.argv[1]) if len(sys.argv) > 1 else 64))
