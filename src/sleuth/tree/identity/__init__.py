"""When two calls are the same: in one run, and in another run."""
