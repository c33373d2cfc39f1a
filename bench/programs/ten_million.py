"""As many calls as the first argument says: does the recorder's memory grow with them?"""
import sys


def step(value):
    return value + 1


def main(count):
    value = 0
    for _ in range(count):
        value = step(value)
    return value


if __name__ == "__main__":
    print(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000))
