"""The number of questions that find a bug, by strategy and by the shape of the tree."""
