"""The contract of a game and its values. Nothing here knows a match, an event, a picture or a page.

Read in this order:
- `says`: a sentence and its values
- `margin`: a length with its error
- `readings`: what the eyes report
- `kit` and `board`: sizes and places, in mm
- `values`: moves, rulings, proposals, questions
- `game`: the contract, its parts, and states and actions as JSON
- `known` and `brought`: every game by its name, with its kit and boards
- `view`: what a match shows
"""
