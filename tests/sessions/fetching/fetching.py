"""Fetches pages at the same time and counts their words."""

import asyncio

PAGES = {"a": "one two", "b": "three", "c": "four five six"}


class Counter:
    def __init__(self, pages):
        self.pages = pages
        self.counts = {}

    async def fetch(self, name):
        await asyncio.sleep(0)
        return self.pages[name]

    async def count(self, name):
        text = await self.fetch(name)
        self.counts[name] = len(text.split(" ", 1))

    async def count_all(self):
        await asyncio.gather(*(self.count(name) for name in self.pages))

    def total(self):
        return sum(self.counts.values())


def main():
    counter = Counter(PAGES)
    asyncio.run(counter.count_all())
    print(counter.total(), "expected: 6")


main()
