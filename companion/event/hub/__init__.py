"""The hub: it keeps an event and takes the reports of many tables. Entries in a database, pages and tables around it.

Read in this order:
- `facts`: devices, claims and calls, added to the event's own facts; `hall`: the state that follows from both
- `roles`: who may do what; `people`: devices, invitations, secrets; `joining`: how players' phones join
- `store`: the entries in SQLite or PostgreSQL, append-only, each with an id that is entered once
- `desk`: the event's log; it checks a fact, enters it and publishes it
- `results`: a result as a form; `views`: the content of pages and streams; `audit`: the entries in words
- `entry_list`, `export`: entrants from CSV, and an event as a file

Tables that judge: `table_end` reports from the table, `outbox` keeps messages until the hub has them, `mqtt` carries
them, `link` takes them in, `broker` writes mosquitto's files. `home_assistant` announces tables to Home Assistant.
`companion.event` pairs and counts; nothing here does.
"""
