"""The stepper of `sleuth travel`, also reached from a question."""
