"""The eyes: a reader a file, all listed in `readers`; `look` is one frame's way through; `render` draws scenes."""
