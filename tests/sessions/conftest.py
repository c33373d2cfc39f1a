"""The programs of the sessions are no tests, though some look like tests."""

collect_ignore_glob = ["*/test_*.py"]
