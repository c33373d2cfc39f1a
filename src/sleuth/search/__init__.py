"""The search: from answers to the next question and the diagnosis.  Knows no traces or screens."""
