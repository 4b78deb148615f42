"""The event log: entries are appended, never changed, and the state is their fold.

Read in this order:
- `body`: the content of an entry, a type for each kind
- `entry`: one fact
- `file`: the SQLite file and its schema
- `log`: append and read
- `witness`: a second copy of each chain head
- `fold`: from entries to the state
- `check`: is the file whole?
"""
