"""The virtual table: any kit's pieces as solid bodies, drawn as a camera sees them, thrown and moved.

No reader imports it. `pieces` makes bodies of a kit, `scene` lists the things on the table, `layout` lays out a new
game. `rods` bends rods, `rod_table` deals and hangs them. `sheet` prints race boards, `tray` is the dice tray, `marks`
and `card_face` are printed on pieces. `render` (with `ground`, `light`, `order`, `solids`, `arm`, `rod_film`) and
`film` make the camera's picture. `slide`, `tumble` and `rest` throw pieces and let them come to rest. `virtual` is the
table that people play on, `shown` describes it as JSON, `truth` is for tests alone.
"""
