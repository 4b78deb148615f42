"""Load and soak: `python -m bench.load SCENARIO`. Each prints JSON lines.

`table`: 500 phones at one table with a running camera. `hours`: an evening at one table in simulated time. `hub`: 1,000
phones on one hub. `soak`: 60 tables while broker and hub are killed.
"""
