"""Symptoms: failed tests and uncaught exceptions."""
