"""From camera frames to one settled look: `settle` (has everything stopped?), `sway` (did the camera move?),
`watch`."""
