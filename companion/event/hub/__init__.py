"""The hub: it keeps an event and takes the reports of many tables. Entries in a database, pages and tables around it.

Read in this order. `facts`: facts around an event, added to the tournament's own. `hall`: devices, claims, calls and
tables, as they follow from these. `roles`: who may do what. `store`: the entries in SQLite or PostgreSQL, append-only,
each with an id that is entered once. `desk`: one event's book; it checks facts, enters them and publishes them.
`people`: devices, invitations, secrets. `views`: the content of pages and streams. `entry_list`: entrants by CSV paste.
`papers`: printouts. `export`. Tables that judge connect by `link` (messages between a table and the hub), `outbox` (a
table's messages until the hub has them), `mqtt` (the road between them) and `broker` (mosquitto's own files).
`companion.event` pairs and counts; nothing here does.
"""
