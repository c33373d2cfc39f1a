"""Terms as people write them into a spreadsheet."""

from simpleeval import simple_eval

NAMES = {"price": 12.5, "count": 7, "rate": 0.19, "stock": [3, 9, 4], "name": "bolt"}
TERMS = (
    "price * count * (1 + rate)",
    "count > 5 and price < 20",
    "'many' if stock[1] > 8 else 'few'",
    "name + 's: ' + str(count)",
    "2 ** 10 // 3 % 100",
    "int(price) in stock",
)
for term in TERMS:
    print(term, "=", simple_eval(term, names=NAMES, functions={"str": str, "int": int}))
