"""Shared parts of table and hub: server, limits, streams, static files, languages, headers."""
