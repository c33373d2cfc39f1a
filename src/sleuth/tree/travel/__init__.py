"""The event list and the state of a call at a selected moment, as data."""
