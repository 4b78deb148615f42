"""The games of the product, a folder each; `companion.game.known` lists them. They do not import each other.

`race` is not a game: it is what all race games share.
"""
