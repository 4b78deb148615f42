"""The virtual table: any kit's pieces as solid bodies, drawn as a camera sees them, thrown and moved.

No reader imports it. `pieces` makes bodies of a kit, `scene` lists the things on the table, `layout` lays out a new
game. `rod_table` bends, deals and hangs rods. `sheet` prints race boards, `marks` are printed on pieces and cards.
`render` (with `light`, `solids`, `rod_film`) and `film` make the camera's picture. `slide`, `tumble` and `rest` throw
pieces and let them come to rest. `virtual` is the table that people play on, `shown` describes it as JSON.
"""
