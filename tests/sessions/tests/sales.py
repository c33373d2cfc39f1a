"""Sales by shop."""


def net(frame):
    return frame["amount"] - frame["tax"].max()


def summary(sales):
    grouped = sales.groupby("shop", as_index=False).sum()
    grouped["net"] = net(grouped)
    return grouped
