"""Printables of a table, at true scale: vectors in mm, on A4, A3 or Letter.

Read in this order: `paper` (sheets, tiles, the 100 mm check line), `codes` (fiducials, calibration boards) and
`boards` (race boards, mats, table and seat cards, letter tokens; the list of all printables).

Convention: mm, origin at the top-left corner of a drawing, x right, y down.
"""
