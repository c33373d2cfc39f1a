"""`python -m sleuth` is the command `sleuth`."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        # The folder that -m puts first: the modules of the program there are not ours to import.
        del sys.path[0]
    from sleuth.views.cli import entry

    entry()
