"""The eyes: a reader a file, all listed in `readers`; `watch` is one frame's way through; `render` draws scenes."""
