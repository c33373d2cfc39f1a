"""Tests of unittest: the expected value stands on either side, or in a subtest."""

import unittest

EXPECTED = ["tea: 2.38", "jam: 4.76"]
RATE = 0.2


def price(net):
    return round(net + net * RATE, 2)


def listing(items):
    return [f"{name}: {price(net):.2f}" for name, net in items]


class Prices(unittest.TestCase):
    def test_free(self):
        self.assertEqual(price(0), 0)

    def test_listing(self):
        self.assertEqual(EXPECTED, listing([("tea", 2), ("jam", 4)]))

    def test_price(self):
        for net, gross in ((0, 0.0), (10, 11.9)):
            with self.subTest(net=net):
                self.assertEqual(price(net), gross)


