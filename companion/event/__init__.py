"""Tournaments, pure like the rules: entries in; pairings, standings and their reasons out.

Read in this order. `settings`: the organiser's choices. `facts`: what happens, as entries. `state` and `fold`: the
event that follows from them. `formats`: the next round of any format (`swiss`, `dutch` by
FIDE's rules, `robin` also in groups, `knockout`, `pods`). `trf`: FIDE's files.
`judged`: a result from a match that was judged at a table. `scorecards`: each entrant's rounds and their worth. `sums`
and `standings`: points and tie-breaks that can be checked by hand. `why`: why you play whom. `changes`: the effects of
a correction, before it is entered. `draw`: lots from the published seed. `matching`: exact matchings through rustworkx.
`simulate`: random events through all of this.
"""
