"""A trace seen as a tree of nodes that can be judged.  Blind to SQL, Python and users."""
