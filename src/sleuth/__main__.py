"""`python -m sleuth` is the command `sleuth`."""

from sleuth.views.cli import entry

if __name__ == "__main__":
    entry()
