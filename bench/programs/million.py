"""A million calls: a recursion, a loop of small calls, and a chain that goes deep."""

import sys
import threading


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def step(total, number):
    return total + number % 7


def loop(turns):
    total = 0
    for number in range(turns):
        total = step(total, number)
    return total


def down(depth):
    return 0 if depth == 0 else 1 + down(depth - 1)


def main(size):
    return fib(26), loop(size), down(20_000)


sys.setrecursionlimit(1_000_000)
threading.stack_size(512 << 20)
thread = threading.Thread(target=main, args=(int(sys.argv[1]) if len(sys.argv) > 1 else 590_000,))
thread.start()
thread.join()
