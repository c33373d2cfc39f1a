"""Two deposits at once, of which one is lost."""

import asyncio


class Account:
    def __init__(self):
        self.balance = 0


async def deposit(account, amount):
    before = account.balance
    await asyncio.sleep(0)
    account.balance = before + amount


async def main():
    account = Account()
    await asyncio.gather(deposit(account, 10), deposit(account, 5))
    print(account.balance, "expected 15")


asyncio.run(main())
