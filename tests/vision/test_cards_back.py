"""Edges of cards that lie face down."""

from __future__ import annotations

import cv2

from tests.vision.card_table import back, felt, put
from vision.photo.cards.find import IndexSpot, edge_contrasts, is_oblong


def test_a_back_has_four_edges_and_a_disc_of_its_size_has_not() -> None:
    table = felt()
    put(table, back(), 250, 300, 25, tall_px=240)
    cv2.circle(table, (650, 300), 120, (230, 230, 230), -1, cv2.LINE_AA)
    card, disc = (IndexSpot(x, 300, 240, 0.436, 0.6) for x in (250, 650))
    assert min(edge_contrasts(table, card)) > 2 * min(edge_contrasts(table, disc))
    assert is_oblong(table, card)
    assert not is_oblong(table, disc)


def test_a_bare_table_has_no_edges() -> None:
    assert not is_oblong(felt(), IndexSpot(400, 300, 200, 0.0, 0.6))
