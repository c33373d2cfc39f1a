"""Calls in threads and pools belong under the call that started or submitted them."""

import pytest


def above(run):
    """Return of each call its parent's name and whether it ran elsewhere, by its own name."""
    calls = {call.id: (name, call) for name, call in run.calls()}
    return {
        name: (None if call.parent is None else calls[call.parent][0], call.ran_elsewhere)
        for name, call in calls.values()
    }


STARTS = {
    "a thread": "t = Thread(target=work); t.start(); t.join()",
    "a subclass": "t = Worker(); t.start(); t.join()",
    "a timer": "t = Timer(0, work); t.start(); t.join()",
    "a partial": "t = Thread(target=partial(work)); t.start(); t.join()",
    "a raw thread": "start_new_thread(work, ()); done.acquire()",
    "a submission": "pool.submit(work).result()",
    "a map": "list(pool.map(lambda x: work(), [1]))",
    "to_thread": "asyncio.run(asyncio.to_thread(work))",
    "a pool of multiprocessing": "with ThreadPool(1) as p: p.apply(work)",
}


@pytest.mark.parametrize("how", STARTS)
def test_what_runs_elsewhere_is_below_who_started_it(record, how):
    run = record(f"""
        import asyncio
        from _thread import allocate_lock, start_new_thread
        from concurrent.futures import ThreadPoolExecutor
        from functools import partial
        from multiprocessing.pool import ThreadPool
        from threading import Thread, Timer

        done = allocate_lock()
        done.acquire()

        def work():
            if done.locked(): done.release()

        class Worker(Thread):
            def run(self): work()

        def other(pool):
            pool.submit(int).result()

        def starter(pool):
            {STARTS[how]}

        with ThreadPoolExecutor(1) as pool:
            other(pool)
            starter(pool)
    """)
    found = above(run)
    inner = {"a subclass": "Worker.run", "a map": "starter.<locals>.<lambda>"}.get(how, "work")
    assert found[inner] == ("starter", True)
    assert found["starter"] == ("<module>", False)
    call = next(call for name, call in run.calls() if name == inner)
    assert run.trace.call_site(call).line == next(
        line
        for source in run.trace.sources().values()
        for line, text in enumerate(source.splitlines(), 1)
        if STARTS[how] in text
    )


def test_threads_of_threads_and_of_code_that_is_not_recorded(record):
    run = record("""
        import threading
        from concurrent.futures import ThreadPoolExecutor

        def run(f, name):
            t = threading.Thread(target=f, name=name); t.start(); t.join()

        def inner(): pass
        def outer(): nested()
        def nested(): run(inner, "inner")
        def first(): run(outer, "outer")

        def plainly(): pass
        def through():
            # threading's own code starts another one, in a thread with no recorded call
            class Relay(threading.Thread): pass
            relay = Relay(target=threading.Thread(target=plainly).start)
            relay.start(); relay.join()
            for t in threading.enumerate():
                if t is not threading.current_thread(): t.join()
        first()
        through()
    """)
    found = above(run)
    assert found["outer"] == ("run", True)
    assert found["inner"] == ("run", True)
    assert found["plainly"] == ("through", True)


def test_initializers_callbacks_and_the_users_own_queues(record):
    run = record("""
        import queue, threading
        from concurrent.futures import ThreadPoolExecutor

        def ready(): pass
        def work(gate): gate.wait()
        def called_back(future): pass
        def hand_over(future, gate):
            future.add_done_callback(called_back)
            gate.set()
        def submits():
            gate = threading.Event()
            with ThreadPoolExecutor(1, initializer=ready) as pool:
                hand_over(pool.submit(work, gate), gate)

        def loop(jobs):
            while (job := jobs.get()) is not None: serve(job)
        def serve(job): pass
        def starts(jobs):
            t = threading.Thread(target=loop, args=(jobs,)); t.start()
            return t
        def puts(jobs):
            jobs.put(1); jobs.put(None)

        submits()
        jobs = queue.SimpleQueue()
        t = starts(jobs)
        puts(jobs)
        t.join()
    """)
    found = above(run)
    assert found["ready"] == ("submits", True)
    assert found["work"] == ("submits", True)
    assert found["called_back"] == ("submits", True)
    assert found["loop"] == ("starts", True)
    assert found["serve"] == ("loop", False)


@pytest.mark.slow
def test_work_is_told_apart_though_its_items_die_and_are_made_again(record):
    run = record("""
        from concurrent.futures import ThreadPoolExecutor

        def work(n): return n
        def even(pool, n): return pool.submit(work, n)
        def odd(pool, n): return pool.submit(work, n)

        with ThreadPoolExecutor(2) as pool:
            for n in range(300):
                f = (odd if n % 2 else even)(pool, n)
                f.cancel() if n % 7 == 0 else n % 3 or f.result()
    """)
    names = {call.id: name for name, call in run.calls()}
    for name, call in run.calls():
        if name == "work":
            (given,) = run.trace.arguments(call)
            assert names[call.parent] == ("odd" if given.content % 2 else "even")
            parent = run.trace.call(call.parent)
            assert run.trace.arguments(parent)[1] == given


def test_a_starter_has_the_calls_that_began_after_it_had_returned(record):
    run = record("""
        import threading
        def late(gate): gate.wait(); after()
        def after(): pass
        def start(gate):
            t = threading.Thread(target=late, args=(gate,), daemon=True); t.start()
            return t
        def free(gate): gate.set()
        gate = threading.Event()
        t = start(gate)
        free(gate)
        t.join()
    """)
    calls = dict(run.calls())
    assert list(run.trace.child_ids(calls["start"].id)) == [calls["late"].id]
    assert [call.id for call in run.trace.children(calls["start"].id)] == [calls["late"].id]
    below = [call.id for call in run.trace.children(calls["<module>"].id)]
    assert below == [calls["start"].id, calls["free"].id]
    assert calls["late"].last > calls["start"].last


def test_a_worker_runs_in_no_task_of_another_thread(record):
    run = record("""
        import asyncio
        def work(): pass
        async def main():
            future = asyncio.get_running_loop().run_in_executor(None, work)
            for _ in range(100_000):   # the task's step goes on while the worker runs
                if future.done(): break
            await future
        asyncio.run(main())
    """)
    calls = dict(run.calls())
    assert calls["work"].parent == calls["main"].id
    assert (calls["main"].task, calls["work"].task) == (1, 0)
