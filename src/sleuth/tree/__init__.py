"""The execution tree: a trace as nodes that can be judged.  Knows no SQL, Python or users."""
