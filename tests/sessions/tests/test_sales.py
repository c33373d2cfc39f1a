import pandas as pd
from sales import summary


def test_net_sales():
    sales = pd.DataFrame(
        {"shop": [1, 2, 1, 3], "amount": [10.0, 20.0, 30.0, 5.0], "tax": [1.0, 2.0, 3.0, 0.5]}
    )
    expected = pd.DataFrame(
        {
            "shop": [1, 2, 3],
            "amount": [40.0, 20.0, 5.0],
            "tax": [4.0, 2.0, 0.5],
            "net": [36.0, 18.0, 4.5],
        }
    )
    result = summary(sales)
    pd.testing.assert_frame_equal(result, expected)
