"""NumReader: reads a number in figures and says it in words."""

ONES = "zero one two three four five six seven eight nine ten eleven twelve".split()
TENS = {2: "twenty", 3: "thirty", 4: "forty", 5: "fifty", 6: "sixty", 7: "seventy"}


def parsed(text):
    value = 0
    for character in text:
        value = 10 * value + digit(character)
    return value


def digit(character):
    return ord(character) - ord("0")


def words(number):
    if number >= 1000:
        return joined(words(number // 1000) + " thousand", number % 1000)
    if number >= 100:
        return joined(ONES[number // 100] + " hundred", number % 100)
    if number > 20:
        return joined(TENS[number // 10], number % 10)
    return ONES[number]


def joined(start, rest):
    return f"{start} {words(rest)}" if rest else start


def main():
    print(words(parsed("3400")))


if __name__ == "__main__":
    main()
