"""Cues: queues of a post office, served in turn."""

from collections import deque


class Queue:
    def __init__(self):
        self.waiting = deque()

    def join(self, name):
        self.waiting.append(name)

    def serve(self):
        return self.waiting.popleft()

    def __len__(self):
        return len(self.waiting)


def shortest(queues):
    return min(queues, key=len)


def main():
    queues = [Queue(), Queue()]
    queues[0].join("Ana")
    for name in ("Ben", "Cleo", "Dan"):
        shortest(queues).join(name)
    print([queue.serve() for queue in queues])


if __name__ == "__main__":
    main()
