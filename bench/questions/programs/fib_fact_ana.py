"""FibFactAna: Fibonacci numbers, factorials and anagrams, each by recursion."""


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def anagrams(letters):
    if len(letters) <= 1:
        return [letters]
    found = []
    for place, letter in enumerate(letters):
        for rest in anagrams(letters[:place] + letters[place + 1 :]):
            found.append(letter + rest)
    return found


def main():
    print([fibonacci(n) for n in range(10)])
    print([factorial(n) for n in range(8)])
    print(*anagrams("tree"))


if __name__ == "__main__":
    main()
