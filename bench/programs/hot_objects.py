"""A few objects that every call changes: about ten million events."""


class Account:
    def __init__(self):
        self.total = 0
        self.seen = [0] * 50
        self.by = {}
        self.rare = None


def add(account, number):
    account.total += number
    account.seen[number % 50] = number
    account.by[number % 7] = number
    return account.total


def loop(account, count):
    for number in range(count):
        add(account, number)


account = Account()
for turn in range(10):
    account.rare = turn
    loop(account, 160_000)
