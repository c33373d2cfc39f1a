"""Specifications: what functions should do, as Python.

    from sleuth.spec import model, predicate

    @model("shop.discount", total=True)
    def discount(price, customer):
        return price // 10 if customer.years > 3 else 0

    @predicate("merge")
    def merge_keeps_all(call):
        return sorted(call.after.c) == sorted(call.inputs.a + call.inputs.b)

A model does what the function should do.  A predicate tells whether a call was right.  This package
imports nothing else of Sleuth, and runs in a process of its own.
"""

from sleuth.spec.call import Call, CannotSay, Change, Names, Raised, Record
from sleuth.spec.declare import model, predicate

__all__ = [
    "Call",
    "CannotSay",
    "Change",
    "Names",
    "Raised",
    "Record",
    "model",
    "predicate",
]
