"""A program in which every kind of question occurs; only its text is used."""

SHOP = """
import asyncio
import ctypes
import threading

RATE = 2
LOG = []


class Cart:
    limit = 3

    def __init__(self, owner):
        self.owner = owner
        self.lines = []

    @property
    def total(self):
        return sum(self.lines)

    def add(self, price):
        self.lines.append(price)
        LOG.append(price)
        return self

    def __add__(self, other):
        both = Cart(self.owner)
        both.lines = self.lines + other.lines
        return both


def numbers(n):
    for i in range(n):
        yield i * RATE
    return 7


def guarded():
    try:
        yield 1
    finally:
        LOG.append("closed")


def talking():
    got = yield 1
    while got:
        got = yield got + "!"


async def later(x):
    await asyncio.sleep(0)
    return x + 1


def fail(x):
    if x > 1:
        raise ValueError("bad \\x1b[31m", x)
    return x


def outer(k):
    def inner(z):
        return z + k

    def now():
        return inner(k)

    return inner, now()


def big(orders, named):
    orders[17]["status"] = "held"
    named["a"].extend(range(50))
    for order in orders[100:140]:
        order["n"] = -1


def login(password):
    print("x" * 100, end="")
    print("日本語", len(password))


def alias(one, two):
    one.append(two)


def slow(cart, start, join):
    start()
    join()
    return list(cart.lines)


def change(cart):
    cart.lines.append(99)


def threads():
    other = threading.Thread(target=change, args=(cart,))
    slow(cart, other.start, other.join)


def nothing():
    pass


cart = Cart("eva")
cart.add(3).add(4)
print(cart.total)
both = cart + cart
list(numbers(3))
half = guarded()
next(half)
half.close()
kept = numbers(9)
next(kept)
never = numbers(1)
talk = talking()
next(talk)
talk.send("a")
for waiting in (kept, talk):
    # Nobody closes them at the end of the program.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(waiting))
asyncio.run(later(1))
try:
    fail(2)
except ValueError as error:
    print("caught", error)
outer(3)[0](4)
(lambda q: q + 1)(2)
sum(w * 2 for w in (1, 2))
big([{"status": "new", "n": i} for i in range(400)], {"a": []})
login("hunter2")
same = []
alias(same, same)
threads()
nothing()
"""
