def discounted(total, percent):
    return total - total // 100 * percent

def row(order, discounts):
    item, count, unit, note = order
    total = discounted(unit, discounts.get(item, 0)) + unit * (count - 1)
    return {"item": item, "count": count, "unit": unit, "total": total, "note": note}

def priced(orders, discounts):
    return [row(order, discounts) for order in orders]
