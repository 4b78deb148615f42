"""What Center Point and Basic Manipulation share.

`setup` makes states and says what each game must tell, `text` prints and parses them, `game` is the flow of a match;
under them `core` moves markers as integers. `status` says why a position cannot be, `reading` what the eyes say, `view`
what phones show. `hints` ranks moves by playouts, `guide` plays and judges in them, `value` counts turns,
`weights` reads what was fitted.
"""
