"""Places in an album's pictures for training: its dice, the finder's detections, and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from bench.train.dice_album import ABSENT, HEIGHT, SEEN, VALUE, WIDTH, Album, X, Y, inside_of, seen_part
from bench.train.dice_blocks import NEAR, NEAR_SIZE, SAME, SAME_SIZE
from bench.train.dice_varied import Varied
from vision.photo.dice.find import CELL_PX, LOG_UNIT_PX, STEP_PX

NO_DIE = 7
"""The face readers' class for other things than dice."""
OPEN = -1
"""The class for a place that counts neither as a die nor as background."""
LEAST_HEAT = 0.2
AT_ONCE_PX = 40_000_000
"""Pixels that the finder looks at in one go."""
FACE_SEEN, IS_SEEN = 0.6, 0.4
"""Minimum visible share of a die: to train on its face; to count as a die at all (below: OPEN)."""
IS_INSIDE = 0.35
"""Minimum share of a die inside the picture (below: OPEN)."""
INSIDE_ENOUGH = (0.6, 0.85)
"""Shares of a cut-off die inside the picture. Below the first its class is "unreadable"; between the two its face is
not used for training."""


@dataclass(frozen=True, slots=True)
class Places:
    """n places: picture (n,); x, y and side in its pixels (n, 3); is_die (1, 0, OPEN); and the face readers' class (0 =
    unreadable, 1 to 6, NO_DIE, OPEN)."""

    picture: Tensor
    where: Tensor
    is_die: Tensor
    face: Tensor

    def __len__(self) -> int:
        return len(self.picture)

    def only(self, keep: Tensor) -> Places:
        """Those marked."""
        return Places(self.picture[keep], self.where[keep], self.is_die[keep], self.face[keep])


def all_of(places: Sequence[Places]) -> Places:
    """All of these."""
    return Places(*(torch.cat([getattr(p, name) for p in places]) for name in Places.__slots__))


def classes_of(album: Album, dice: Tensor, pictures: Tensor) -> tuple[Tensor, Tensor]:
    """Classes of dice (n, 6) of these pictures (n,): whether they count as dice (1 or OPEN), and the face readers'
    classes."""
    inside = inside_of(dice[:, None], album.sizes[pictures, 0, 0, None], album.sizes[pictures, 0, 1, None])[:, 0]
    is_there = (dice[:, VALUE] != ABSENT) & (dice[:, SEEN] >= IS_SEEN) & (inside >= IS_INSIDE)
    value = torch.where(inside < INSIDE_ENOUGH[0], 0, dice[:, VALUE].long())
    is_open = (inside >= INSIDE_ENOUGH[0]) & (inside < INSIDE_ENOUGH[1])
    is_open |= ~is_there | ((dice[:, SEEN] < FACE_SEEN) & (value > 0))
    return torch.where(is_there, 1, OPEN), torch.where(is_open, OPEN, value)


def dice_of(album: Album, pictures: Tensor) -> Places:
    """The dice of pictures."""
    rows = album.dice[pictures]
    which, k = (rows[:, :, VALUE] != ABSENT).nonzero(as_tuple=True)
    dice, picture = rows[which, k], pictures[which]
    seen = seen_part(dice, *album.sizes[picture, 0].T)
    where = torch.stack([seen[:, X], seen[:, Y], (seen[:, WIDTH] * seen[:, HEIGHT]).sqrt()], 1)
    is_die, face = classes_of(album, dice, picture)
    return Places(picture, where, is_die, face).only((face != OPEN) & (where[:, 2] > 8))


@torch.no_grad()
def found(net: nn.Module, album: Album, pictures: Tensor, scale: float) -> Places:
    """The finder's detections in pictures scaled by `scale`, with their true classes."""
    device, lots = album.starts.device, []
    net = net.eval()
    sides = ((album.sizes[pictures, 0].amax(1) * scale / STEP_PX).ceil() * STEP_PX).long()
    for side in sides.unique().tolist():
        for some in pictures[sides == side].split(max(1, AT_ONCE_PX // side**2)):
            back = torch.tensor([[1.0, 0, 0.5], [0, 1, 0.5]], device=device) / scale
            back[:, 2] -= 0.5
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type != "cpu"):
                shown = album.cut(some, back.expand(len(some), 2, 3), side) - 0.5
                out = net(shown.to(memory_format=torch.channels_last)).float()
            heat = out[:, 0].sigmoid()
            is_peak = (heat == functional.max_pool2d(heat[:, None], 3, 1, 1)[:, 0]) & (heat > LEAST_HEAT)
            n, row, column = is_peak.nonzero(as_tuple=True)
            cell = out[n, :, row, column]
            side_px = (cell[:, 3:5].clamp(-3, 3).sum(1) / 2).exp() * LOG_UNIT_PX / scale
            x, y = ((at + 0.5 + cell[:, k]) * CELL_PX / scale for at, k in ((column, 1), (row, 2)))
            lots.append(told(album, some[n], torch.stack([x, y, side_px], 1)))
    return all_of(lots)


def told(album: Album, picture: Tensor, where: Tensor) -> Places:
    """The true classes at these places of these pictures, from the labelled dice."""
    dice = album.dice[picture]
    seen = seen_part(dice, *(album.sizes[picture, 0, k, None] for k in (0, 1)))
    side = (seen[..., WIDTH] * seen[..., HEIGHT]).sqrt().clamp(min=1e-3)
    away = torch.hypot(seen[..., X] - where[:, None, 0], seen[..., Y] - where[:, None, 1]) / side
    away = torch.where(dice[..., VALUE] == ABSENT, torch.inf, away)
    size = where[:, None, 2] / side
    is_same = (away < SAME) & (size > SAME_SIZE[0]) & (size < SAME_SIZE[1])
    is_near = ((away < NEAR) & (size > NEAR_SIZE[0]) & (size < NEAR_SIZE[1])).any(1)
    which = torch.where(is_same, away, torch.inf).argmin(1)
    is_die, face = classes_of(album, dice[torch.arange(len(dice), device=dice.device), which], picture)
    is_one = is_same.any(1)
    is_die = torch.where(is_one, is_die, torch.where(is_near, OPEN, 0))
    return Places(picture, where, is_die, torch.where(is_one, face, torch.where(is_near, OPEN, NO_DIE)))


def between(draws: Varied, album: Album, pictures: Tensor) -> Places:
    """One place of each picture away from the middle of any die: anywhere, half off a die, or at a pip or corner of
    one."""
    n, device = len(pictures), pictures.device
    rows, size = album.dice[pictures], album.sizes[pictures, 0].float()
    count = (rows[:, :, VALUE] != ABSENT).sum(1)
    die = rows[torch.arange(n, device=device), (draws._uniform((n,)) * count).long()]
    die_px = (die[:, WIDTH] * die[:, HEIGHT]).sqrt()
    kind, away = draws._uniform((n,)), draws._uniform((n,), 0, 2 * torch.pi)
    beside = die[:, :2] + torch.stack([away.cos(), away.sin()], 1) * (die_px * draws._uniform((n,), 0.6, 1.5))[:, None]
    within = die[:, :2] + draws._uniform((n, 2), -0.35, 0.35) * die_px[:, None]
    anywhere = draws._uniform((n, 2)) * size
    has_dice = count > 0
    at = torch.where((has_dice & (kind < 0.6))[:, None], beside, anywhere)
    at = torch.where((has_dice & (kind > 0.84))[:, None], within, at)
    side = torch.where(has_dice, die_px, 14 * (120 / 14) ** draws._uniform((n,)))
    side = torch.where(has_dice & (kind > 0.84), side * draws._uniform((n,), 0.2, 0.4), side)
    places = told(album, pictures, torch.cat([at, side[:, None]], 1))
    return places.only((places.is_die == 0) & (side > 6))
