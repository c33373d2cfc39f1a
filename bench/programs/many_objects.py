"""Ten million objects, of which a million stay alive: does the recorder's memory grow with them?"""
import sys


class Item:
    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number


def main(count):
    kept = [None] * (count // 10)
    for number in range(count):
        kept[number % len(kept)] = Item(number)
    return len(kept)


if __name__ == "__main__":
    print(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000))
