"""The domain of Companion: tables, readings, rules, the log and the match. No numpy, no OpenCV, no Flask in here.

Read in this order: `margin` (a close call is a length with an error), `readings` (what the eyes report),
`kit` (what lies on the table, in mm), `game` (a game is one object of pure functions), `games` (the five),
`referee` (from a reading to a proposal or a doubt), `log` (append-only entries), `match` (the one writer).
`cli` is the one place where all packages meet.
"""

__version__ = "0.1.0"
