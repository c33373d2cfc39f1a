from orders import priced

EXPECTED = [
    {"item": "tea", "count": 2, "unit": 250, "total": 500, "note": "green"},
    {"item": "coffee", "count": 1, "unit": 400, "total": 360, "note": "dark roast"},
    {"item": "milk", "count": 6, "unit": 100, "total": 540, "note": ""},
    {"item": "bread", "count": 1, "unit": 320, "total": 320, "note": "sliced"},
]

def test_prices():
    orders = [("tea", 2, 250, "green"), ("coffee", 1, 400, "dark roast"), ("milk", 6, 100, ""), ("bread", 1, 320, "sliced")]
    assert priced(orders, {"coffee": 10, "milk": 10}) == EXPECTED
