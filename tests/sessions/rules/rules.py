"""A shop whose rules stand as texts in a table."""

RULES = {
    "adult": "age >= 18",
    "loyal": "spent + basket > 100",
}
PRICE = """
price = basket
if 'loyal' in won:
    off = basket * 90 / 100
    price = price - off
"""


def won_by(customer):
    """Return the names of the rules that hold."""
    return [name for name, rule in RULES.items() if eval(rule, {}, customer)]


def price_for(customer):
    """Return what a customer pays: loyal ones 10 % less."""
    names = dict(customer)
    names["won"] = won_by(customer)
    exec(compile(PRICE, "<rule price>", "exec"), names)
    return names["price"]


print(price_for({"age": 36, "spent": 90, "basket": 20}))
