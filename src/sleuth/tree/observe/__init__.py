"""Behaviour: what a node did, looked up in the trace with bounded work."""
