"""A virtual table in the middle of play, for measurements: pieces thrown, dice rolled, cards laid or rods dealt."""

from companion.game.kit import Kit
from vision.sim.rod_table import zones_of
from vision.sim.tumble import dice_area
from vision.sim.virtual import TableError, VirtualTable

THROWS = 8
FANS = (("7H", "8H", "9H"), ("KC", "KD", "KS"), ("2S", "3S", "4S", "5S"))
MOST_S = 10.0
"""Longest time until thrown pieces settle, in seconds of the table's clock."""


def filled_table(kit: Kit, seed: int) -> VirtualTable:
    """A kit's table during a game. Its clock jumps, so that each frame is settled at once."""
    now_s = [0.0]

    def wait(s: float) -> None:
        now_s[0] += s

    table = VirtualTable(kit, seed=seed, clock=lambda: now_s[0], wait=wait, is_grain_anew=False)
    if any(piece.shape == "card" for piece in kit.pieces):
        for fan in FANS:
            table.lay_fan(fan)
    elif zones_of(kit):
        table.deal_rods()
    elif dice_area(kit.mat):
        table.roll(seed=seed)
    else:
        (kind, *_) = table.state()["throws"]
        aim_mm = (kit.mat.width_mm / 2, kit.mat.height_mm / 2)
        for each in range(THROWS):
            try:
                seat = table.seats[each % len(table.seats)]
                table.throw(seat, kind, (aim_mm[0], kit.mat.height_mm + 200), aim_mm, 0.3 + 0.05 * each)
            except TableError:  # all pieces of this kind are on the table
                break
            now_s[0] += MOST_S
    now_s[0] += MOST_S
    return table
