"""Companion: games, matches, events, and the application that brings them to a table.

Read in this order: `game` (the contract of a game and its values), `games` (a folder each), `record` (entries and their
fold), `match` (one match at one table), `event` (a tournament in a hall), `book` (past plays of a household). `app`
brings all packages together, and `cli` is the command line. None but these two needs numpy, OpenCV or Flask.
"""

__version__ = "0.2.0"
