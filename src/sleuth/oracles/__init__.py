"""Oracles and hints, one file each: they answer in place of the user, or guide the search.

An oracle (`search/question.py`) answers a question or abstains; its answers carry its name.  If it
can't be sure, it must not answer.  A hint says how suspicious nodes are, and so changes only the
order of questions.  `table.py` has a row for each.
"""
