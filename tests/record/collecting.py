"""Lines for recorded programs that do something to their own collector."""

COLLECTOR = """
import os, signal, subprocess, threading, time
def collector(trace):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try: words = open(f"/proc/{pid}/cmdline").read().split("\\0")
        except OSError: continue
        if trace in words and "record" in words and int(pid) != os.getpid():
            return int(pid)
def is_dead(pid):
    try: return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] in "ZX"
    except OSError: return True
def go_on_after(seconds):
    subprocess.Popen(["sh", "-c", f"sleep {seconds}; kill -CONT {pid}"])
def longest(times):
    return max(later - earlier for earlier, later in zip(times, times[1:]))
pid = collector(TRACE)
"""


def with_collector(trace: object, text: str) -> str:
    """Put the lines before a program; `pid` is the collector's there."""
    lines = "\n".join(line.removeprefix("        ") for line in text.splitlines())
    return COLLECTOR.replace("TRACE", repr(str(trace))) + lines
