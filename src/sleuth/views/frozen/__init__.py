"""Recorded calls as pytest tests: what `sleuth freeze` writes."""
