"""Mean of readings: generators that feed each other."""


def lines(text):
    for line in text.splitlines():
        if line.strip():
            yield line


def numbers(text):
    for line in lines(text):
        name, _, value = line.partition(":")
        if not name.startswith("#"):
            yield int(value)


def smooth(values):
    last = None
    for value in values:
        if last is not None:
            yield (last + value) / 2
        last = value


def peak(text):
    highest = 0
    for value in list(smooth(numbers(text))):
        if value > highest:
            highest = value
            break
    return highest


def main():
    print(peak("a: 2\n# b: 9\n\nc: 4\nd: 8\n"), "expected: 6.0")


main()
