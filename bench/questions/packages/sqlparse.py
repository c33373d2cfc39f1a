"""A query, laid out."""

from pathlib import Path

import sqlparse

text = Path(__file__).with_name("input.sql").read_text(encoding="utf-8")
print(sqlparse.format(text, reindent=True, keyword_case="upper"))
