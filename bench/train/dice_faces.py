"""The two face readers' lessons: which pieces they learn from, and in which shares."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bench.train.dice_crops import Crops, Shares
from bench.train.dice_data import Sample
from bench.train.dice_pool import Pieces, between, dice_of, leaning_of, mistaken
from vision.dice_find import DiceFinder

RENDERED, LEANING, PLACES, EMPTY = 0.72, 0.08, 0.15, 0.05
"""Shares of the first part: rendered dice, those that lean once more, places between them, pictures without dice."""
LATER_RENDERED, LATER_LEANING, LATER_PLACES, LATER_EMPTY = 0.31, 0.06, 0.05, 0.02
TAKEN = 0.05
"""Shares of the second part: also what the finder takes for dice in all but drawn pictures."""
DRAWN = (0.05, 0.12)
"""Shares of what the finder takes for dice in drawn pictures. The second part is taken once with each, from the same
start, and the weights are averaged: many such pieces alone make readers deny poorly lit dice, few let coins pass."""
REAL, REAL_PLACES = 0.36, 0.04
"""Photographed dice (a source with the root of their number), and places between them."""
SOME_RENDERED = 40
"""Every so manieth rendered scene is searched for what the finder takes for dice."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """Pieces of the rendered scenes and of pictures without dice, cut once for both parts."""

    dice: Pieces
    leaning: Pieces
    places: Pieces
    empty: Pieces

    @staticmethod
    def of(rendered: list[Sample], empty: list[Sample]) -> Lessons:
        """Cuts the pieces; all of them are some 3 GB."""
        return Lessons(dice_of(rendered), leaning_of(rendered), between(rendered, 1), between(empty, 2, each=12))

    def first(self) -> Shares:
        """Renderings alone."""
        lots = ((RENDERED, self.dice), (LEANING, self.leaning), (PLACES, self.places), (EMPTY, self.empty))
        return [(share, pieces, False) for share, pieces in lots]

    def second(
        self, real: list[Sample], rendered: list[Sample], empty: list[Sample], drawn: list[Sample], finder: DiceFinder
    ) -> list[Shares]:
        """Renderings and photographs, and what `finder` wrongly takes for dice in them; once for each of `DRAWN`."""
        sources = sorted({s.source for s in real})
        dice = [dice_of([s for s in real if s.source == name]) for name in sources]
        whole = sum(len(d) ** 0.5 for d in dice)
        made_up = mistaken([*drawn, *empty], finder)
        lots: Shares = [
            (LATER_RENDERED, self.dice, False),
            (LATER_LEANING, self.leaning, False),
            (LATER_PLACES, self.places, False),
            (LATER_EMPTY, self.empty, False),
            (TAKEN, mistaken([*real, *rendered[::SOME_RENDERED]], finder), False),
            (REAL_PLACES, between(real, 3, each=4), True),
            *((REAL * len(d) ** 0.5 / whole, d, True) for d in dice),
        ]
        return [[(share, made_up, False), *lots] for share in DRAWN]


class Batches(torch.utils.data.IterableDataset):
    """Endless batches of crops."""

    def __init__(self, lots: Shares, has_inks: bool, seed: int, count: int) -> None:
        super().__init__()
        self._crops, self._count = Crops(lots, has_inks, seed), count

    def __iter__(self):
        """Yields (crops, classes)."""
        while True:
            yield self._crops.batch(self._count)
