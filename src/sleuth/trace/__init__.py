"""The contract: what a recorded run is, how it is written, read and checked.

Knows no programming language: names, kinds and positions are data.
"""
