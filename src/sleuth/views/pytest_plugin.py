"""The pytest plugin: it adds the options, and imports the rest when one of them is given."""

import argparse
from collections.abc import Generator

import pytest

_MODES = {
    # A value only behind `=`: `pytest --sleuth tests/` must run the folder.  argparse
    # looks for an option with the whole word as its name before it splits at the equals sign.
    "--sleuth": ("failed", "run each failing test again, recorded into .sleuth/"),
    "--sleuth=failed": ("failed", "the same"),
    "--sleuth=first": ("first", "the same for the first failing test alone"),
    "--sleuth=all": ("all", "record every test as it runs, in one process"),
    "--sleuth=off": (None, "record nothing"),
    "--sleuth=recording": ("recording", argparse.SUPPRESS),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("sleuth", "recording with Sleuth")
    for word, (mode, words) in _MODES.items():
        group.addoption(
            word, action="store_const", const=mode, dest="sleuth", default=None, help=words
        )
    group.addoption("--sleuth-folder", dest="sleuth_folder", help=argparse.SUPPRESS)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    """Restart as a recorded process, before pytest captures or imports anything."""
    if early_config.known_args_namespace.sleuth == "all":
        from sleuth.views.testing.recording import become_recorded  # noqa: PLC0415 - if wanted

        become_recorded(early_config)
    yield


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugin that the option asks for; a worker of xdist needs none."""
    mode = config.getoption("sleuth", None)
    if mode is None or hasattr(config, "workerinput"):
        return
    if mode == "recording":
        from sleuth.views.testing.parts import Parts  # noqa: PLC0415 - only if it is wanted

        config.pluginmanager.register(Parts(config), "sleuth-parts")
    elif mode in ("failed", "first"):
        from sleuth.views.testing.failing import Failing  # noqa: PLC0415 - only if it is wanted

        config.pluginmanager.register(Failing(config, is_first=mode == "first"), "sleuth-failing")
