"""Markdown to HTML."""

from pathlib import Path

import mistune

text = Path(__file__).with_name("input.md").read_text(encoding="utf-8")
print(mistune.html(text))
