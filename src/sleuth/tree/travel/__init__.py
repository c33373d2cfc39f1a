"""What is shown at a selected moment: the events of a call, and its state, as data."""
