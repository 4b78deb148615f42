"""Printables of a table, at true scale: vectors in mm, on A4, A3 or Letter.

Read in this order: `paper` (sheets, tiles, the 100 mm check line), `codes` (fiducials and calibration boards), `boards`
(race boards and mats), `cards` (table and seat cards, letter tokens) and `drill` (the drill's sheet). `catalogue` lists
all printables.

Convention: mm, origin at the top-left corner of a drawing, x right, y down.
"""
