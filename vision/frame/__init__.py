"""From camera frames to one settled look: `settle` (has everything stopped? did the camera move?), `watch`."""
