"""Camera sources, buttons, lamp and buzzer. Pi libraries are imported inside constructors, so all runs on a laptop."""
