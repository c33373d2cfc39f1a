"""Words: splitting, counting, building texts, generators, comprehensions."""
import sys

WORDS = ("the quick brown fox jumps over the lazy dog and then it sleeps while a slow red hen "
         "walks under the old stone bridge to find some corn for her three small chicks").split()


def stream(count):
    for i in range(count):
        yield WORDS[(i * 7 + i // 11) % len(WORDS)]


def histogram(words):
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


def caesar(text, shift):
    out = []
    for char in text:
        if char.isalpha():
            out.append(chr((ord(char) - 97 + shift) % 26 + 97))
        else:
            out.append(char)
    return "".join(out)


def wrap(words, width):
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = line + " " + word if line else word
    lines.append(line)
    return lines


def distance(a, b):
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        current = [i]
        for j, y in enumerate(b, 1):
            cost = 0 if x == y else 1
            current.append(min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost))
        previous = current
    return previous[-1]


def main(size):
    total = 0
    for turn in range(size):
        words = list(stream(18_000))
        total += max(histogram(words).values())
        total += len(wrap(words, 60))
        total += len(caesar(" ".join(words[:4_000]), turn))
        total += sum(distance(a, b) for a in WORDS[:14] for b in WORDS[:14])
        total += len({word[::-1]: len(word) for word in words if "o" in word})
    return total


if __name__ == "__main__":
    print(main(int(sys.argv[1]) if len(sys.argv) > 1 else 160))
