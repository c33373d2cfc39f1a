"""A night's jobs on one machine: a queue ordered by time and urgency.  (See the end.)

Jobs come as lines of text, go through a pipeline of generators, wait in a heap until they are due
and those they wait for are done, and run one after the other.  Of the jobs that can run the most
urgent goes first (5 is most urgent, 1 least); among equals the one that was due first.
"""

import heapq

JOBS = """
# name      due  minutes  urgency  after
backup      60   30       2
mail        60   5        5
index       60   20       3        backup
report      90   10       4        mail
cleanup     95   15       1        backup report
bad line
invoice     70   10       4
archive     130  25       2        index
newsletter  60   x        3
"""


class BadJob(Exception):
    """A line that describes no job."""


class Stuck(Exception):
    """Jobs are left of which none can ever run."""


class Job:
    def __init__(self, name, due, minutes, urgency, after=()):
        self.name = name
        self.due = due
        self.minutes = minutes
        self.urgency = urgency
        self.after = frozenset(after)
        self.started = None

    def __lt__(self, other):
        """Whether this one goes first."""
        if self.urgency != other.urgency:
            return self.urgency < other.urgency
        return self.due < other.due

    def can_run(self, now, done):
        return self.due <= now and self.after <= done


# --- The pipeline -------------------------------------------------------------------------------


def lines(text):
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        if line:
            yield line


def parsed(line):
    words = line.split()
    if len(words) < 4:
        raise BadJob(f"too few words: {line!r}")
    name, *numbers = words[:4]
    try:
        due, minutes, urgency = (int(number) for number in numbers)
    except ValueError:
        raise BadJob(f"no number: {line!r}") from None
    return Job(name, due, minutes, urgency, words[4:])


def jobs(text, problems):
    for line in lines(text):
        try:
            yield parsed(line)
        except BadJob as problem:
            problems.append(str(problem))


# --- The machine --------------------------------------------------------------------------------


class Machine:
    def __init__(self):
        self.now = 0
        self.waiting = []
        self.ready = []
        self.done = set()
        self.log = []

    def submit(self, job):
        self.waiting.append(job)

    def wake(self):
        """Move the jobs that can run now from those that wait to those that are ready."""
        still = []
        for job in self.waiting:
            if job.can_run(self.now, self.done):
                heapq.heappush(self.ready, job)
            else:
                still.append(job)
        self.waiting = still

    def next_due(self):
        times = [job.due for job in self.waiting if job.due > self.now]
        if not times:
            raise Stuck(", ".join(sorted(job.name for job in self.waiting)))
        return min(times)

    def run(self, job):
        job.started = self.now
        self.now += job.minutes
        self.done.add(job.name)
        self.log.append(job)

    def work(self):
        """Run everything; yield each job when it has run."""
        while self.waiting or self.ready:
            self.wake()
            if not self.ready:
                self.now = self.next_due()
                continue
            job = heapq.heappop(self.ready)
            self.run(job)
            yield job


def clock(minutes):
    return f"{minutes // 60:02}:{minutes % 60:02}"


def late(job):
    return job.started - job.due


def summary(machine):
    worst = max(machine.log, key=late)
    total = sum(late(job) for job in machine.log)
    return f"{len(machine.log)} jobs, {total} minutes late in all, worst: {worst.name}"


def main():
    problems = []
    machine = Machine()
    for job in jobs(JOBS, problems):
        machine.submit(job)
    for job in machine.work():
        print(f"{clock(job.started)}  {job.name:<10}  urgency {job.urgency}, {late(job)} late")
    for problem in problems:
        print(f"ignored: {problem}")
    print(summary(machine))


if __name__ == "__main__":
    main()

# What is wrong: at 01:00 the machine starts with the backup (urgency 2) although the mail (urgency 5)
# is due as well.
# The mistake: Job.__lt__ says that the less urgent job goes first; the comparison of the urgencies
# should be `>`.
