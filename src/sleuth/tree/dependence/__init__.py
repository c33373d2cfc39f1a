"""Dependence between calls: chains of state, footprints, forwarding."""
