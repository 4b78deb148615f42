"""Camera sources, buttons, lamp and buzzer. Pi libraries are imported inside constructors, so all runs on a laptop.

Read in this order: `camera` (what a camera is to the house), `picamera`, `video` and `folder` (the sources),
`picture_file` (a picture's file, decoded or refused), `frozen` (one that repeats its last picture), `supervised` (one
that may hang, die and come back), `pins` and `pins.toml` (the wiring), `gpio` (gpiozero, opened late), `debounce` and
`buttons`, `lamp`, `buzzer`.
"""
