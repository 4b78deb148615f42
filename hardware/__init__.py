"""Camera sources, buttons, lamp and buzzer. Pi libraries are imported inside constructors, so all runs on a laptop.

Read in this order: `camera` (the interface), `picamera`, `video` and `folder` (the sources), `picture_file` (a
picture's file, decoded or refused). Then `frozen` (a camera that repeats its last picture) and `supervised` (a camera
that may hang, die and come back). Last `pins` and `pins.toml` (the wiring), `gpio` (gpiozero, opened late), `debounce`
and `buttons`, `lamp`, `buzzer`.
"""
