"""The reader of race boards: a picture in, a `BoardReading` out.

First the board from straight above and its place (`view`). Then evidence for a marker on each spot (`signs`, `edges`),
the markers on spots (`markers`), and a second check of doubts (`again`). Then markers between spots (`between`) and the
dice (`dice`). `fuse` makes one reading of several pictures of one table, and draws it.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibration.arrays import Floats, Picture
from calibration.lens import Lens
from calibration.light import Light, judge
from calibration.pose import Pose, find_pose
from companion.game.board import Board
from companion.game.errors import KitError, ReadingError, ReadingFault
from companion.game.kit import Kit
from companion.game.readings import HIGHEST_IN_DOUBT, SURE, BoardDie, BoardFit, BoardReading, Notice, SpotSeen
from companion.game.says import Says, each_as, listed
from vision.tables.board.again import Bytes, SecondLook, Unchanged, as_bytes
from vision.tables.board.between import crowded_spots, find_between
from vision.tables.board.dice import TrayReader
from vision.tables.board.edges import apart_by_color, groups_of_spots, print_seen, twins_of
from vision.tables.board.fuse import drawn, fused
from vision.tables.board.limits import LIMITS
from vision.tables.board.markers import alike, chances_of, weigh_board, with_lying
from vision.tables.board.signs import (
    Patches,
    Sign,
    glimpsed_color,
    hue_windows,
    patches_of,
    signs_of,
)
from vision.tables.board.view import BoardPlace, BoardView, found_place, likelier_board, view_of

PRINTED = "it may be print of that colour or a marker"
TOO_BRIGHT = "too much light falls there to tell print from a marker"
COVERED = "it is covered: neither its circle nor a marker is seen"
CROWDED = "another marker stands beside the one on it"


@dataclass(frozen=True, eq=False)
class BoardSeen:
    """The board in a picture: its place, its spots on the table (N, 2), the clearness of their circles (N,), and the
    candidates of each colour. `strange`: spots without the print of similar spots."""

    view: BoardView
    place: BoardPlace
    spots_mm: Floats
    patches: Patches
    shown: Bytes
    """The cut-outs around the spots, as `SecondLook` takes them."""
    rims: Floats
    signs: Mapping[str, list[Sign]]
    strange: frozenset[int]
    plain: frozenset[int]
    """The spots that show the same print as similar spots."""
    washed_out: frozenset[int]
    """The spots whose cut-out is so overexposed that a circle may be invisible."""
    bleached: frozenset[int]
    """The spots whose foot is so overexposed that it has no colour."""


class BoardEye:
    """Reads pictures of a race board; `token_height` in mm, otherwise the kit's.

    Raises: KitError: a kit without a board's place, or colours without a hue.
    """

    def __init__(
        self,
        lens: Lens,
        kit: Kit,
        board: Board,
        token_height: float | None = None,
        second_look: SecondLook | None = None,
    ) -> None:
        if "board_mm" not in kit.mat.areas_mm:
            raise KitError(f"the kit of {kit.game} has no mat.board_mm, expected the board's place [x0, y0, x1, y1]")
        self.lens, self.kit, self.board = lens, kit, board
        self._box_mm = kit.mat.areas_mm["board_mm"]
        self._tray_mm = kit.mat.areas_mm.get("tray_mm")
        token = kit.piece("token")
        self._across_mm, self._die_mm = token.size_mm("diameter"), kit.piece("die").size_mm("side")
        self._height_mm = token.size_mm("height") if token_height is None else token_height
        self._kind: str | None = None
        if token_height is not None:
            self._kind = "pawn" if token_height >= self._across_mm else "disk"
        self._windows = hue_windows(board.colors)
        self._names = tuple(board.spots)
        self._dice_reader = TrayReader()
        self._second_look = second_look or SecondLook(board)
        self._unchanged = Unchanged()

    def read(self, picture: Picture) -> BoardReading:
        """The board as the picture shows it. Raises: ReadingError."""
        return self.read_at(picture, find_pose(picture, self.lens, self.kit))

    def read_at(self, picture: Picture, pose: Pose) -> BoardReading:
        light = judge(picture, pose, self.kit)
        seen = self.look(picture, pose, light)
        held = self._unchanged.held(seen.shown)
        first = weigh_board(seen.signs, self._kind)
        by_look = chances_of(first)
        printed = {spot for spot in seen.plain if 1 - by_look.get(spot, {"": 1.0})[""] < SURE}
        signs = {color: [sign for sign in found if sign.spot not in printed] for color, found in seen.signs.items()}
        markers = weigh_board(signs, self._kind)
        between = find_between(seen.view, self.board, seen.spots_mm, markers, self._across_mm)
        if between:  # fewer markers are left for spots
            markers = weigh_board(signs, self._kind, Counter(one.color for one in between))
        unclear = alike(markers)
        chances = chances_of(markers) | _if_plain({spot: by_look[spot] for spot in seen.plain & by_look.keys()})
        chances = with_lying(chances, first, seen.plain, unclear)
        chances |= self._bleached(seen, chances)
        covered = self._covered(seen, chances)
        chances = self._doubted(chances, seen, covered, unclear)
        chances = self._second_look.weighed(chances, seen.shown, seen.spots_mm, seen.bleached)
        crowded = crowded_spots(seen.view, seen.spots_mm, markers, between, self._across_mm)
        chances |= _if_crowded({spot: chances[spot] for spot in crowded})
        unjudged = {sign.spot for found in seen.signs.values() for sign in found} - chances.keys()
        self._unchanged.note(chances, seen.shown, covered | seen.bleached | unjudged)
        chances |= {
            spot: {"": 0.0, held[spot]: 1.0}
            for spot, of in chances.items()
            if spot in held.keys() - crowded and max(of.values()) < LIMITS.certain_spot
        }
        spaces = self._spaces(seen, chances, covered, crowded)
        if sum(spot.color is None or spot.confidence < SURE for spot in spaces.values()) > LIMITS.max_covered:
            self._must_be_no_other(seen.view, seen.place)
        return BoardReading(
            spaces=spaces,
            between=between,
            dice=self._dice(picture, pose, light),
            maybe=self._maybe(chances),
            table=self._fit(pose, seen.place),
            noticed=self._notices(unclear),
        )

    fuse = staticmethod(fused)

    def draw(self, picture: Picture, reading: BoardReading) -> Picture:
        """A copy of the picture with the markers by spot and colour, doubts, and the dice."""
        return drawn(picture, reading, find_pose(picture, self.lens, self.kit))

    @property
    def _middle_mm(self) -> tuple[float, float]:
        x0, y0, x1, y1 = self._box_mm
        return ((x0 + x1) / 2, (y0 + y1) / 2)

    def _must_be_no_other(self, view: BoardView, place: BoardPlace) -> None:
        """Raises: ReadingError(board_not_found): another shipped board fits the picture better."""
        other = likelier_board(view, self.board, place)
        if other is not None:
            words = "this looks like board {other}, expected {board}: lay {board} here, or name {other} as the board"
            raise ReadingError(ReadingFault.BOARD_NOT_FOUND, Says(words, {"other": other, "board": self.board.name}))

    def look(self, picture: Picture, pose: Pose, light: Light) -> BoardSeen:
        """The evidence in the picture, before markers are chosen. Raises: ReadingError(board_not_found)."""
        view = view_of(picture, pose, light, self._box_mm, LIMITS.sheet_mm)
        place, rims = found_place(view, self.board, self._middle_mm)
        if not place.is_found:
            self._must_be_no_other(view, place)
            words = "the circles of board {board} are not found: lay this board in its place, printed side up"
            raise ReadingError(ReadingFault.BOARD_NOT_FOUND, Says(words, {"board": self.board.name}))
        at_mm = place.to_table(np.array(list(self.board.spots.values())))
        patches = patches_of(view, at_mm)
        apart = apart_by_color(patches.shown, self.board)
        twins = twins_of(groups_of_spots(self.board), apart)
        printed = print_seen(patches.shown, self.board, apart)
        signs = signs_of(patches, self.board, self._windows, self._across_mm, twins, printed.plain)
        washed_out = frozenset(np.flatnonzero(patches.clipped.mean(axis=(1, 2)) > 0.5).tolist())
        bleached = frozenset(np.flatnonzero(patches.share_clipped > 0.5).tolist())
        return BoardSeen(
            view,
            place,
            at_mm,
            patches,
            as_bytes(patches.shown),
            rims,
            signs,
            printed.strange,
            printed.plain,
            washed_out,
            bleached,
        )

    def _bleached(self, seen: BoardSeen, chances: Mapping[int, Mapping[str, float]]) -> dict[int, dict[str, float]]:
        """The probabilities of seemingly empty spots in glaring light: unsure unless both show none."""
        unsure = dict.fromkeys(self._windows, (1 - LIMITS.likely) / len(self._windows)) | {"": LIMITS.likely}
        empty = {spot for spot in seen.bleached if chances.get(spot, {"": 1.0})[""] > unsure[""]}
        doubted = (empty - seen.plain) | self._second_look.may_hold(empty & seen.plain, seen.shown)
        return dict.fromkeys(doubted, unsure)

    def _covered(self, seen: BoardSeen, chances: Mapping[int, Mapping[str, float]]) -> set[int]:
        """Spots with neither circle nor marker, unless in strong light. Raises: ReadingError: many."""
        rimless = set(np.flatnonzero(seen.rims < LIMITS.strange).tolist()) - (seen.plain & seen.washed_out)
        covered = {spot for spot in rimless if chances.get(spot, {"": 1.0})[""] >= 0.5}
        strange = {spot for spot in seen.strange if chances.get(spot, {"": 1.0})[""] >= 0.5}
        hidden = covered | (strange if len(strange) <= LIMITS.max_covered else set())
        if len(hidden) > LIMITS.max_covered:
            self._must_be_no_other(seen.view, seen.place)
        spots = len(self._names)
        if len(covered) > (1 - LIMITS.high_share) * spots:
            words = (
                "only {count} of {all} circles of board {board} are visible: clear the board, or lay this board in "
                "its place"
            )
            says = Says(words, {"count": spots - len(covered), "all": spots, "board": self.board.name})
            raise ReadingError(ReadingFault.BOARD_NOT_FOUND, says)
        if len(hidden) > LIMITS.max_covered:
            raise ReadingError(
                ReadingFault.HAND_IN_VIEW,
                Says(
                    "{count} spots of the board are covered, expected all clear: take hands and things off the board",
                    {"count": len(covered | strange)},
                ),
            )
        return covered | strange

    def _doubted(
        self, chances: dict[int, dict[str, float]], seen: BoardSeen, covered: set[int], unclear: tuple[str, ...]
    ) -> dict[int, dict[str, float]]:
        """The probabilities, without any sure value on covered spots and in colours that look alike."""
        told = {spot: dict(of) for spot, of in chances.items()}
        for spot in covered:
            is_strange = spot in seen.strange
            color = glimpsed_color(seen.patches, spot, self._windows, self.board.circle_mm) if is_strange else ""
            likely = {color: LIMITS.perhaps, "": 1 - LIMITS.perhaps} if color else {"": 0.5}
            left = (1 - sum(likely.values())) / len(self._windows)
            told[spot] = likely if color else dict.fromkeys(self._windows, left) | likely
        for spot, of in told.items():
            color, chance = max(of.items(), key=lambda item: item[1])
            if chance > HIGHEST_IN_DOUBT and color in unclear:
                others = [other for other in unclear if other != color] or [""]
                told[spot] = {color: HIGHEST_IN_DOUBT} | {
                    other: (1 - HIGHEST_IN_DOUBT) / len(others) for other in others
                }
        return told

    def _spaces(
        self,
        seen: BoardSeen,
        chances: Mapping[int, Mapping[str, float]],
        covered: set[int],
        crowded: frozenset[int],
    ) -> dict[str, SpotSeen]:
        feet = {(sign.spot, color): sign.foot_mm for color, found in seen.signs.items() for sign in found}
        spaces = {}
        for spot, of in sorted(chances.items()):
            color, chance = max(of.items(), key=lambda item: item[1])
            if not color and chance >= SURE:
                continue
            x, y = seen.spots_mm[spot] + feet.get((spot, color), (0.0, 0.0))
            spaces[self._names[spot]] = SpotSeen(
                color=color or None,
                confidence=int(chance * 1000) / 1000,  # rounded down: a doubtful spot never becomes sure
                x_mm=round(float(x), 1),
                y_mm=round(float(y), 1),
                reason=CROWDED if spot in crowded else None if color else self._why(spot, seen, covered),
            )
        return spaces

    @staticmethod
    def _why(spot: int, seen: BoardSeen, covered: set[int]) -> str:
        if spot in covered:
            return COVERED
        return TOO_BRIGHT if spot in seen.bleached else PRINTED

    def _dice(self, picture: Picture, pose: Pose, light: Light) -> tuple[BoardDie, ...]:
        """The dice in the tray and on its edge."""
        if self._tray_mm is None:
            return ()
        view = view_of(picture, pose, light, self._tray_mm, self._die_mm)
        return self._dice_reader.read(picture, view, self._tray_mm, self._die_mm)

    def _maybe(self, chances: Mapping[int, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        return {
            self._names[spot]: {color: round(chance, 4) for color, chance in of.items()}
            for spot, of in sorted(chances.items())
            if max(of.values()) < LIMITS.certain_spot
        }

    def _fit(self, pose: Pose, place: BoardPlace) -> BoardFit:
        return BoardFit(
            reprojection_px=round(pose.reprojection_px, 4),
            shift_mm=(round(place.shift_mm[0], 2), round(place.shift_mm[1], 2)),
            turn_deg=round(place.turn_deg, 2),
            marker_mm=self._across_mm,
            outline_mm=min(self._height_mm, self._across_mm / 2),
            die_mm=self._die_mm,
        )

    @staticmethod
    def _notices(colors: tuple[str, ...]) -> tuple[Notice, ...]:
        if not colors:
            return ()
        words = "pieces in {colors} look alike in this light: put a white lamp next to the table, or use other colours"
        says = Says(words, {"colors": listed(each_as("color", colors))})
        return (Notice(code="colors_alike", says=says),)


def _if_crowded(chances: Mapping[int, Mapping[str, float]]) -> dict[int, dict[str, float]]:
    """The probabilities of spots with a second marker: none is sure."""
    told = {}
    for spot, of in chances.items():
        color = max((one for one in of if one), key=lambda one: of[one])
        told[spot] = {color: LIMITS.perhaps, "": 1 - LIMITS.perhaps}
    return told


def _if_plain(by_look: Mapping[int, Mapping[str, float]]) -> dict[int, dict[str, float]]:
    """The probabilities of spots that show their print although they look marked: neither is sure."""
    told = {}
    for spot, of in by_look.items():
        color, chance = max(of.items(), key=lambda item: item[1])
        if color:
            marked = LIMITS.perhaps if chance >= SURE else 1 - LIMITS.perhaps
            told[spot] = {color: marked, "": 1 - marked}
    return told


open_eye = BoardEye
