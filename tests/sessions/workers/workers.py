"""Two tasks work off a queue, one at a time; job 3 is counted once too often."""

import asyncio

class Job:
    def __init__(self, kind, job_id, cost):
        self.kind = kind
        self.cost = cost
        self.job_id = job_id

class Pool:
    def __init__(self):
        self.queue = asyncio.Queue()
        self.lock = asyncio.Lock()
        self.done = asyncio.Event()
        self.results = {}
        self.total = 0

    async def submit(self, job):
        await self.queue.put(job)

    async def worker(self, name):
        while True:
            job = await self.queue.get()
            try:
                async with self.lock:
                    await self.run(job)
            finally:
                self.queue.task_done()

    async def run(self, job):
        before = self.total
        await asyncio.sleep(0)
        self.total = before + job.cost + (1 if job.job_id == 3 else 0)
        self.results[job.job_id] = job.cost

async def compute(future, value):
    await asyncio.sleep(0)
    future.set_result(value * 2)

async def main():
    pool = Pool()
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    asyncio.create_task(compute(future, 21))
    for n in range(5):
        await pool.submit(Job("print", n, 10))
    workers = [asyncio.create_task(pool.worker(f"w{i}")) for i in range(2)]
    await pool.queue.join()
    pool.done.set()
    for each in workers:
        each.cancel()
    await asyncio.gather(*workers, return_exceptions=True)
    print(await future, pool.total, "expected 42 50")

asyncio.run(main())
