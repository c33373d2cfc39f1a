"""Traces, questions and reports as JSON and other formats for programs."""
