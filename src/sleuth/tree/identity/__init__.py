"""Identity of calls: when two calls of one run, or of two runs, count as the same."""
