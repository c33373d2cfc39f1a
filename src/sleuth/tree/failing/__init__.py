"""Where a run shows that something is wrong: failed tests, uncaught exceptions."""
