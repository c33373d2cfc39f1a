"""The metadata of a project."""

from pathlib import Path

import tomli

print(tomli.loads(Path(__file__).with_name("input.toml").read_text(encoding="utf-8")))
