"""From camera frames to one settled reading: `settle` (has everything stopped? did the camera move?), `watch`."""
