"""The dice tray."""
