"""The readers, listed in `readers`; `measure` is what they share, `watch` the processing of one frame, `sim` the
virtual table."""
