"""From answers to the next question and the diagnosis.  Blind to traces, Python and screens."""
