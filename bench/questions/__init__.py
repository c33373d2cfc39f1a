"""How many questions it takes to find a bug: by strategy, and by the shape of the tree."""
