"""The contract between recorder and tree: the trace, how it is written, read and checked.

This room knows no programming language: names, kinds and positions are data.
"""
