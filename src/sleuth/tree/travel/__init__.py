"""The events of a call, and its state at two moments, as data for views."""
