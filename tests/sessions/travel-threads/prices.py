from concurrent.futures import ThreadPoolExecutor

total = 0


def add(amount):
    global total
    before = total
    total = before + amount


def second():
    add(11)


def first():
    add(5)
    ThreadPoolExecutor(1).submit(second).result()
    add(7)


ThreadPoolExecutor(1).submit(first).result()
print(total)
