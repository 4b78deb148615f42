"""The games of the product, a folder each. Folders do not import each other; `companion.game.known` lists them."""
