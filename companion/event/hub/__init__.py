"""The hub: what many tables report to, and where an event is kept. Entries in a database, pages and tables around it.

Read in this order: `facts` (what happens around an event, beside the tournament's own facts), `hall` (devices, claims,
calls, tables, as they follow from these), `roles` (who may do what), `store` (the entries in SQLite or PostgreSQL,
append-only, each with an id that is entered once), `desk` (one event's book: what was said is checked, entered and told
to whoever listens), `people` (devices, invitations, secrets), `views` (what pages and streams show), `entry_list`
(entrants by CSV paste), `papers` (printouts), `export`. Tables that judge come in by `link` (what is said between a
table and the hub), `outbox` (what a table keeps until the hub has it), `mqtt` (the road between them) and `broker`
(mosquitto's own files). `companion.event` pairs and counts; nothing here does.
"""
