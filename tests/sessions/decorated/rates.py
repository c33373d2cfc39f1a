"""Adds up amounts in several currencies.  Two decorators: one only counts time, one is wrong."""

import functools
import time


def timed(func):
    @functools.wraps(func)
    def wrapper(*args):
        start = time.perf_counter()
        result = func(*args)
        spent = time.perf_counter() - start
        return result

    return wrapper


def in_cents(func):
    @functools.wraps(func)
    def wrapper(*args):
        return int(func(*args) * 10) / 10

    return wrapper


@timed
def rate(currency):
    return {"EUR": 1.0, "USD": 0.92, "GBP": 1.17}[currency]


@in_cents
def convert(amount, currency):
    return amount * rate(currency)


@functools.cache
def fee(currency):
    return 0.5 if currency == "GBP" else 0.0


def total(amounts):
    result = 0
    for amount, currency in amounts:
        result += convert(amount, currency) + fee(currency)
    return result


print(total([(10, "EUR"), (1, "GBP"), (2, "GBP")]))
