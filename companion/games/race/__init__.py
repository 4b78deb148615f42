"""Parts shared by Center Point and Basic Manipulation.

`setup` makes states and lists the methods that each game provides. `text` prints and parses them. `game` is the flow of
a match. Under them `core` moves markers as integers. `status` explains why a position is impossible, `reading`
interprets the eyes' reports, `view` is the phones' view. `hints` ranks moves by playouts, `guide` plays and judges in
them, `value` counts turns, `weights` reads the fitted numbers.
"""
