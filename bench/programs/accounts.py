"""About ten million events: threads that wait, a long loop, callbacks from C, objects that change."""

import sys
import threading


class Account:
    """Something that changes all the time."""

    def __init__(self, number):
        self.number = number
        self.total = 0
        self.log = [0] * 16

    def add(self, amount):
        before = self.total
        after = before + amount % 7
        self.total = after
        self.log[amount % 16] = after
        return after


def step(accounts, number):
    account = accounts[number % len(accounts)]
    result = account.add(number)
    if result % 2:
        result += 1
    else:
        result -= 1
    return result


def work(accounts, count):
    seen = 0
    for number in range(count):
        seen += step(accounts, number)
    return seen


def aside(count):
    accounts = [Account(number) for number in range(5)]
    return work(accounts, count)


def main(count):
    accounts = [Account(number) for number in range(100)]
    first = work(accounts, 10)
    other = threading.Thread(target=aside, args=(count // 4,))
    other.start()
    other.join()
    second = work(accounts, count)
    third = sum(map(accounts[0].add, range(count // 3)))
    print(first, second, third)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 515_000)
