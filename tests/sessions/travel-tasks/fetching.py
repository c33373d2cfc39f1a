import asyncio


def numbers(count):
    for number in range(count):
        yield number * number


async def fetch(name, source):
    got = next(source)
    await asyncio.sleep(0)
    return f"{name}{got}"


async def serve(name, source):
    one = await fetch(name, source)
    two = await fetch(name, source)
    return one + two


async def main():
    source = numbers(4)
    left = asyncio.create_task(serve("a", source), name="left")
    right = asyncio.create_task(serve("b", source), name="right")
    both = await left + await right
    rest = list(source)
    return both, rest


print(asyncio.run(main()))
