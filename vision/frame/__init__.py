"""From camera frames to one settled look: `settle` (is all at rest?), `sway` (did the camera move?), `watch`."""
