"""What table and hub share: server, guard, streams, static files, languages."""
