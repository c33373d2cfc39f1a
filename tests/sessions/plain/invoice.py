"""Prints an invoice.  Rounding is done by a module that is not recorded."""

import rounding


def line_total(price, count):
    return rounding.to_cents(price * count)


def invoice(lines):
    total = 0
    for price, count in lines:
        total += line_total(price, count)
    return total


print(invoice([(1.25, 2), (0.333, 3)]))
