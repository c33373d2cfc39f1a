"""Answers that nobody has to give: each file here is one oracle, or one hint.

An oracle (`search/question.py`) answers a question or abstains, and is named in what it says.  What
it can't be sure of must not be an answer: a hint says how suspicious nodes are, and so changes
only the order of questions.  `table.py` has a row for each.
"""
