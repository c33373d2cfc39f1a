"""A file of numbers as a table."""

import csv
from pathlib import Path

from tabulate import tabulate

with Path(__file__).with_name("input.csv").open(encoding="utf-8", newline="") as file:
    rows = list(csv.reader(file))
print(tabulate(rows[1:], headers=rows[0], tablefmt="grid"))
