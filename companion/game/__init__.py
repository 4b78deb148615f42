"""The contract of a game and its values. Nothing here knows a match, an event, a picture or a page.

Read in this order:
- `says`: a sentence and its values
- `margin`: a length with its error
- `readings`: what the eyes report
- `kit` and `board`: sizes and places, in mm
- `game`: the contract
- `parts`: what a game may add
- `view`: what a match shows
"""
