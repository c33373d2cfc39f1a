# A dozen integers that fill a kilobyte each, as arguments, items, attributes and in exceptions.
def take(a, b, c, d, e, f, g, h, i, j, k, l): return a + l
class Holder: pass
given = [(1 << 8150) + number for number in range(12)]
total = 0
for turn in range(400):
    total += take(*given)
    held = Holder(); held.all = list(given); held.one = given[turn % 12]; held.by = {each: each for each in given}
    try:
        raise ValueError(*given)
    except ValueError as error:
        total += len(error.args)
print(total % 1_000_003)
