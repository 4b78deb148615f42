"""Camera sources, buttons, lamp and buzzer. Pi libraries are imported inside constructors, so all runs on a laptop.

Read in this order: `camera` (the interface, and a camera that repeats its last picture), `picamera`, `video` and
`picture_file` (the sources; a picture's file is decoded or refused). Then `supervised` (a camera that may hang, die and
come back). Last `pins` (the wiring of `pins.toml`; buzzer and lamp by gpiozero, opened late) and `buttons`.
"""
