"""The shape of the recorded code, and the route that a call took through it."""
