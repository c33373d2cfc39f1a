"""HashTable: keys and values in buckets, made larger when they are full (a program of JHyde)."""


class HashTable:
    def __init__(self, size=4):
        self.buckets = [[] for _ in range(size)]
        self.count = 0

    def bucket(self, key):
        return self.buckets[hashed(key) % len(self.buckets)]

    def put(self, key, value):
        pair = self.pair(key)
        if pair is not None:
            pair[1] = value
            return
        if self.count >= 2 * len(self.buckets):
            self.grow()
        self.bucket(key).append([key, value])
        self.count += 1

    def pair(self, key):
        for pair in self.bucket(key):
            if pair[0] == key:
                return pair
        return None

    def get(self, key, default=None):
        pair = self.pair(key)
        return default if pair is None else pair[1]

    def grow(self):
        pairs = [pair for bucket in self.buckets for pair in bucket]
        self.buckets = [[] for _ in range(2 * len(self.buckets))]
        for pair in pairs:
            self.bucket(pair[0]).append(pair)


def hashed(text):
    value = 0
    for character in text:
        value = (31 * value + ord(character)) % 2**32
    return value


def main():
    table = HashTable()
    text = "the cat and the dog and the bird saw a fish that the cat had seen in a pond"
    for word in text.split():
        table.put(word, table.get(word, 0) + 1)
    print(table.count, [table.get(word) for word in ("the", "cat", "pond", "cow")])


if __name__ == "__main__":
    main()
