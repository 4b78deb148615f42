"""The reader of a tray: the dice on a table that holds nothing else to read, for games of dice alone."""

from calibration.arrays import Picture
from calibration.lens import Lens
from calibration.light import judge
from calibration.pose import Pose, find_pose
from companion.game.errors import KitError
from companion.game.kit import Kit
from companion.game.readings import BoardFit, BoardReading
from vision.tables.board.dice import TrayReader
from vision.tables.board.fuse import drawn, fused
from vision.tables.board.view import view_of


class TrayEye:
    """Reads pictures of dice in a tray. Raises: KitError: a kit without a tray or a die."""

    def __init__(self, lens: Lens, kit: Kit) -> None:
        if "tray_mm" not in kit.mat.areas_mm:
            raise KitError(f"the kit of {kit.game} has no mat.tray_mm, expected the tray's place [x0, y0, x1, y1]")
        self.lens, self.kit = lens, kit
        self._tray_mm, self._side_mm = kit.mat.areas_mm["tray_mm"], kit.piece("die").size_mm("side")
        self._dice = TrayReader()

    def read(self, picture: Picture) -> BoardReading:
        """The dice that the picture shows, on a board without spots. Raises: ReadingError."""
        return self.read_at(picture, find_pose(picture, self.lens, self.kit))

    def read_at(self, picture: Picture, pose: Pose) -> BoardReading:
        """Reads the tray in a picture with a known pose."""
        view = view_of(picture, pose, judge(picture, pose, self.kit), self._tray_mm, self._side_mm)
        return BoardReading(
            spaces={},
            between=(),
            dice=self._dice.read(picture, view, self._tray_mm, self._side_mm),
            table=BoardFit(reprojection_px=round(pose.reprojection_px, 4), die_mm=self._side_mm),
        )

    fuse = staticmethod(fused)

    def draw(self, picture: Picture, reading: BoardReading) -> Picture:
        """A copy of the picture with the dice."""
        return drawn(picture, reading, find_pose(picture, self.lens, self.kit))


open_eye = TrayEye
