"""Slices checked by execution, and their speed."""
