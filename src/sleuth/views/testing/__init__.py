"""Recording of tests: the work of the pytest plugin and of `sleuth test`."""
