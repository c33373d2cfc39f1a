"""A write of another thread or task between a call's read and its write."""

from pathlib import Path

from sleuth.trace.reader import Trace
from sleuth.tree.dependence.interleaving import Interleaving, interleaving_in
from tests.recorded import call_of, recorded

TASKS = """\
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
"""
THREADS = """\
import threading
class Account:
    def __init__(self):
        self.balance = 0
    def get(self):
        return self.balance
    def put(self, value):
        self.balance = value
account = Account()
has_read, has_written = threading.Event(), threading.Event()
def deposit(amount):
    before = account.get()
    has_read.set()
    has_written.wait()
    account.put(before + amount)
def other():
    has_read.wait()
    account.put(5)
    has_written.set()
threads = [threading.Thread(target=deposit, args=(10,)), threading.Thread(target=other)]
for each in threads:
    each.start()
for each in threads:
    each.join()
"""


def found(trace: Trace, name: str, number: int = 0) -> Interleaving | None:
    call = call_of(trace, name, number)
    assert call.last is not None
    return interleaving_in(trace, call, call.first, call.last)


def test_a_lost_update_of_tasks_names_the_read_and_both_writes(tmp_path: Path) -> None:
    trace = recorded(tmp_path, TASKS)
    first, second = call_of(trace, "deposit"), call_of(trace, "deposit", 1)
    told = found(trace, "deposit", 1)
    assert told is not None
    assert told.path == "account.balance"
    assert (told.read.call, told.read.line) == (second.id, 6)
    assert (told.other.call, told.other.line) == (first.id, 8)
    assert (told.write.call, told.write.line) == (second.id, 8)
    assert told.read.moment < told.other.moment < told.write.moment
    assert not told.is_decision


def test_a_call_that_was_not_disturbed_says_nothing(tmp_path: Path) -> None:
    trace = recorded(tmp_path, TASKS)
    assert found(trace, "deposit") is None
    assert found(trace, "main") is None
    assert found(trace, "Account.__init__") is None


def test_reads_and_writes_of_callees_count_in_threads(tmp_path: Path) -> None:
    trace = recorded(tmp_path, THREADS)
    told = found(trace, "deposit")
    assert told is not None
    assert told.read.call == call_of(trace, "Account.get").id
    assert told.other.call == call_of(trace, "Account.put").id
    assert told.write.call == call_of(trace, "Account.put", 1).id
    assert found(trace, "other") is None


def test_a_value_that_was_read_again_is_not_stale(tmp_path: Path) -> None:
    source = TASKS.replace("before + amount", "account.balance + amount")
    assert found(recorded(tmp_path, source), "deposit", 1) is None


def test_a_decision_on_what_was_replaced_meanwhile_is_found(tmp_path: Path) -> None:
    source = """\
import threading
free = 1
has_read, has_written = threading.Event(), threading.Event()
taken = []
def take(name):
    left = free
    has_read.set()
    is_done = has_written.wait()
    if left > 0:
        taken.append(name)
def other():
    global free
    has_read.wait()
    free = 0
    has_written.set()
threads = [threading.Thread(target=take, args=("a",)), threading.Thread(target=other)]
for each in threads:
    each.start()
for each in threads:
    each.join()
"""
    told = found(recorded(tmp_path, source), "take")
    assert told is not None
    assert (told.path, told.is_decision) == ("free", True)
    assert (told.read.line, told.other.line, told.write.line) == (6, 14, 9)


def test_a_run_in_one_thread_has_none(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "x = 1\ndef f():\n    global x\n    x = x + 1\nf()\n")
    assert found(trace, "f") is None
