"""Shared parts of table and hub: server, guard, streams, static files, languages."""
