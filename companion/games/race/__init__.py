"""Race games with a die: the base of Center Point and Basic Manipulation, open to any other.

A game gives a rule sheet (`sheet.RaceSheet`: words, citations, options) and an engine (`core.Tables`, `core.Core`).
`game.race_game` makes the game of them: eyes, page, undo, hints and player come with it.
- `states` makes states, writes them down and says why one is impossible; `flow` judges
- `reading` weighs the camera's reading (`chances`)
- `view` is the phones' view, and sees what is back and set up
- `hints` ranks moves by playouts; `guide` plays and judges in them, with the game's own `weights`
"""
