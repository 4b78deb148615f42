"""The readers, listed in `readers`; `measure` is what they share, `watch` one frame's way, `sim` the virtual table."""
