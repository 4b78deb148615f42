"""The reader of card tables: a picture in, a `RummyReading` out.

It takes the mat straight from above (`paper`) and finds the corner indices in it (`vision.photo.cards.find` and
`index`). From these it makes cards (`cards`), then cards without an index (`unread`: jokers, and cards that people have
to name), and groups them (`melds`). Several pictures of one table are made one reading in `fuse`.
"""

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.arrays import Picture
from calibration.lens import Lens
from calibration.light import Light, judge
from calibration.pose import Pose, find_pose
from companion.game.cards import card_seen
from companion.game.kit import Kit
from companion.game.readings import HIGHEST_IN_DOUBT, SURE, Notice, RummyReading, TableCard
from companion.game.says import Says, counted
from vision.drawing import Drawing, ink_of, told
from vision.measure.networks import MODELS
from vision.photo.cards.find import IndexFinder, IndexSpot
from vision.photo.cards.index import JOKER, Index, IndexReader, best_each, name_of
from vision.photo.cards.reader import SIGNS, features
from vision.tables.rummy.again import read_again
from vision.tables.rummy.cards import LaidCard, cards_of, chances_of, count_of, pack_of, was_found
from vision.tables.rummy.fuse import fused
from vision.tables.rummy.limits import LIMITS
from vision.tables.rummy.melds import CardGuess, in_context, melds_of, parted, without_copies, without_pips
from vision.tables.rummy.paper import MatView, paper_of, view_of
from vision.tables.rummy.suits import with_suits_of_pack
from vision.tables.rummy.unread import with_unread

_NAMES = [card_seen(*name_of(card)) for card in range(JOKER + 1)]
UNREAD = "no index of this card can be read"
UNSURE = "its index cannot be read for sure"


class RummyEye:
    """Reads pictures of a card table. Raises: KitError: a kit without cards."""

    def __init__(self, lens: Lens, kit: Kit) -> None:
        card = kit.piece("card")
        self.lens, self.kit = lens, kit
        self._size_mm = (card.size_mm("width"), card.size_mm("length"))
        self._height_mm = card.size_mm("height")
        self._indices = 2 * (JOKER + 1) * max(card.packs.values(), default=1)
        self._finder = IndexFinder(MODELS / "cards_find.onnx")
        self._reader = IndexReader(MODELS / "rummy_read.onnx")
        sure = json.loads((MODELS / "rummy_sure.json").read_text(encoding="utf-8"))
        self._sure = {name: np.array(weights) for name, weights in sure.items()}

    def read(self, picture: Picture) -> RummyReading:
        """The table as the picture shows it. Raises: ReadingError."""
        return self.read_at(picture, find_pose(picture, self.lens, self.kit))

    def read_at(self, picture: Picture, pose: Pose) -> RummyReading:
        light = judge(picture, pose, self.kit)
        view = view_of(picture, pose, self.kit.mat, self._height_mm)
        indices, backs = self.look(view)
        pack = pack_of(indices, view, self._size_mm)
        indices = read_again(indices, view, pack, self._reader)
        faces = [index for index in indices if index.is_index > LIMITS.clear]
        down = self._face_down(faces, backs, view)
        paper = paper_of(view, light, self.kit.mat, [index.spot for index in faces], down, self._size_mm)
        cards, left = cards_of(indices, view, paper, pack)
        cards = with_unread(cards, left, view, paper, pack, self._reader)
        cards = with_suits_of_pack(without_pips(cards))
        melds = parted(cards, melds_of(cards))
        alone = [self._alone(card) for card in cards]
        told = _told(cards, melds, alone)
        seen = [
            _seen(card, one, _by_corners(card, own), view) for card, one, own in zip(cards, told, alone, strict=True)
        ]
        return RummyReading(
            cards=tuple(seen),
            melds=melds,
            face_down=len(down),
            reprojection_px=round(pose.reprojection_px, 4),
            noticed=_notices(seen, light),
        )

    def look(self, view: MatView) -> tuple[list[Index], list[IndexSpot]]:
        """The visible corner indices, and the backs of cards that may be face down, in the view's pixels."""
        # with one pixel per mm, an index has the size that the finder was trained on
        spots, backs = self._finder.find_in(view.small, 1 / view.px_per_mm, LIMITS.min_spot_score)
        # only the best spots are read if there are far more than the packs have indices
        return best_each(self._reader.read_in(view.pyramid, spots[: 2 * self._indices])), backs

    fuse = staticmethod(fused)

    def draw(self, picture: Picture, reading: RummyReading) -> Picture:
        """A copy of the picture with each card's outline, name and meld."""
        drawing = Drawing(picture)
        meld_of = {i: number for number, meld in enumerate(reading.melds, 1) for i in meld}
        for i, card in enumerate(reading.cards):
            ink = ink_of(card.confidence, card.rank is not None)
            drawing.outline(card.corners, ink, is_dashed=card.confidence < SURE, is_ground=True)
            name = "?" if card.rank is None else f"{card.rank}{SIGNS[card.suit] if card.suit else ''}"
            sure = "" if card.confidence >= SURE else f"  {told(card.confidence)}"
            corner = (np.asarray(card.corners)[:1] + np.mean(card.corners, 0)) / 2
            drawing.label([f"{meld_of[i]}: {name}{sure}"], corner, ink)
        return drawing.finished()

    def _alone(self, card: LaidCard) -> CardGuess:
        if card.group is None:
            return CardGuess(None, 0.0)
        _, row = features(card.group)
        likeliest = int(card.group.cards.argmax())
        weights = self._sure["joker" if likeliest == JOKER else "card"]
        return CardGuess(likeliest, float(1 / (1 + np.exp(-(row @ weights[:-1] + weights[-1])))))

    def _face_down(self, faces: Sequence[Index], backs: Sequence[IndexSpot], view: MatView) -> list[IndexSpot]:
        """The backs of face-down cards, each stack once."""
        found: list[IndexSpot] = []
        for back in sorted(backs, key=lambda b: -b.score):
            tall = back.height_px / view.px_per_mm / self._size_mm[1]
            is_card = any(np.hypot(i.spot.x - back.x, i.spot.y - back.y) < 0.5 * back.height_px for i in faces)
            near = any(np.hypot(b.x - back.x, b.y - back.y) < LIMITS.light_radius_mm * view.px_per_mm for b in found)
            if LIMITS.heights[0] <= tall <= LIMITS.heights[1] and not is_card and not near:
                found.append(back)
        return found


def _told(cards: Sequence[LaidCard], melds: Sequence[Sequence[int]], alone: Sequence[CardGuess]) -> list[CardGuess]:
    """The value of each card, from its own corners and its meld."""
    told = list(alone)
    chances = without_copies([chances_of(card) for card in cards], told)
    for meld in melds:
        for i, one in zip(meld, in_context([chances[i] for i in meld], [told[i] for i in meld]), strict=True):
            told[i] = one if was_found(cards[i]) else replace(one, confidence=min(one.confidence, HIGHEST_IN_DOUBT))
    return told


def _by_corners(card: LaidCard, alone: CardGuess) -> dict[str, float]:
    """The probable cards by the corners alone ("": no card), as in `TableCard.chances`."""
    if alone.card is None or card.group is None:
        return {}
    nothing = 1 - max(index.is_index for index in card.group.indices) if count_of(card) == 1 else 0.0
    doubt = {"": nothing} | dict(zip(_NAMES, card.group.cards.tolist(), strict=True))
    doubt[_NAMES[alone.card]] = 0.0
    left = (1 - alone.confidence) / max(sum(doubt.values()), 1e-12)
    chances = {name: chance * left for name, chance in doubt.items()} | {_NAMES[alone.card]: alone.confidence}
    return {name: told for name, chance in chances.items() if (told := round(chance, 5))}


Corners = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]


def _seen(card: LaidCard, told: CardGuess, chances: dict[str, float], view: MatView) -> TableCard:
    rank, suit = (None, None) if told.card is None else name_of(told.card)
    reason = UNREAD if rank is None else UNSURE if told.confidence < SURE else None
    return TableCard(
        rank=rank,
        suit=suit,
        corners=_rounded(view.to_picture(card.corners_mm).tolist()),
        corners_mm=_rounded(card.corners_mm.tolist()),
        confidence=int(told.confidence * 1000) / 1000,  # rounded down: a doubtful card never becomes sure
        reason=reason,
        chances=chances,
    )


def _rounded(points: Sequence[Sequence[float]]) -> Corners:
    a, b, c, d = ((round(float(x), 1), round(float(y), 1)) for x, y in points)
    return a, b, c, d


def _notices(cards: Sequence[TableCard], light: Light) -> tuple[Notice, ...]:
    notices = []
    if light.is_clipped:
        bright = Says("it is so bright that thin print fades: dim the light or shorten the exposure")
        notices.append(Notice(code="too_bright", says=bright))
    unread = sum(card.rank is None for card in cards)
    if unread:
        words = ("one card cannot be read: uncover its corner", "{count} cards cannot be read: uncover their corners")
        notices.append(Notice(code="unread_cards", says=counted(unread, *words)))
    return tuple(notices)


open_eye = RummyEye
