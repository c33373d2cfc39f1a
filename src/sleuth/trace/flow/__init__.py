"""Flows, the shape of recorded code, and routes, the way of a call through it."""
