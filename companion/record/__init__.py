"""The event log: entries are appended, never changed, and the state is their fold.

Read in this order:
- `entry`: one fact, and its body, a type for each kind
- `file`: the SQLite file and its schema
- `log`: append and read, with a second copy of each chain head
- `fold`: from entries to the state
- `check`: is the file whole?
"""
