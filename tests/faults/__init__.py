"""What goes wrong in a hall, done to real matches: `python -m tests.faults` is the long form, the tests the short one.

`playing` plays any game at random; `kills` kills whoever plays; `disk` fills, locks and damages what it wrote; `odd`
turns the clock and lets phones vanish, stall and flood; `event` kills who keeps a tournament, `camera` whoever plays
by camera. After each: every acknowledged entry is there once, the state is what the entries fold to, chain and witness
hold, the match goes on. `undone` takes out what mends each thing that was found, and sees its test fail.
"""
