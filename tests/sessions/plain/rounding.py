def to_cents(amount):
    return int(amount * 10) / 10
