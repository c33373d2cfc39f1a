"""What the shop of shop.py promises."""

from sleuth.spec import CannotSay, model, predicate

RATES = {"TEN": 10, "HALF": 50}


@model("discount_of", total=True)
def discount_of(code):
    return RATES.get(code, 0)


@model("Line.total", total=True)
def line_total(self):
    return self.price * self.count


@model("Line.rebate", total=True)
def rebate(self, percent):
    self.price -= self.price * percent / 100


@predicate("Cart.apply")
def nobody_gets_a_discount_twice(call):
    if call.raised:
        raise CannotSay("that is another matter")
    percent = RATES.get(call.inputs.code, 0)
    for before, after in zip(call.inputs.self.lines, call.after.self.lines, strict=True):
        lowest = before.price * (100 - percent) / 100
        assert after.price >= lowest - 0.001, f"{before.name} costs {after.price}"
    return True
