"""Lessons for the finder, made on one device: squares cut out of an album, with their targets."""

from __future__ import annotations

import torch
from torch import Tensor

from bench.train.dice_album import (
    ABSENT,
    HEIGHT,
    SEEN,
    VALUE,
    WIDTH,
    Album,
    X,
    Y,
    inside_of,
    inverted,
    places,
    seen_part,
)
from bench.train.dice_finds import IS_INSIDE, dice_of
from bench.train.dice_nets import STRIDE_PX
from bench.train.dice_varied import Varied

SIDE_PX = 192
HEAT_SPREAD, HEAT_REACH = 0.06, 0.08
"""Spread and reach of the heat, in sides of the die. Grid cells within the reach of the die's middle have full heat,
because no picture shows the middle of a large die to one cell. Beyond it the heat falls with the spread."""
DIE_PX, SCALES = (11.0, 125.0), (0.4, 2.2)
"""How large dice are in squares, and how much a picture is shrunk or enlarged."""
ON_A_DIE, FILLED = 0.9, 0.5
"""Share of squares placed around a die of its picture; share with a single colour beyond the picture's edge."""
SIZES_PX, LEAST_SEEN = (9, 190), 0.3
"""Range of sizes and minimum share inside the square or visible. Other dice count neither as dice nor as background."""
MOST = 16
"""Maximum number of dice in a square; those with the largest share inside are kept."""
STRONGLY = 0.3
"""How often scenes are dyed; photographs always are."""
LAID, LAID_PX, LAID_SCALES, APART = 0.12, (14.0, 80.0), (0.25, 1.5), 0.62
"""Share of scenes with a photographed die put in, in two tries; its size there; its scale; and the minimum distance to
others, as a share of the sum of their sides."""


class Squares(Varied):
    """Squares of an album, with a given share from each source's pictures."""

    def __init__(
        self, album: Album, shares: dict[str, float], photographs: tuple[str, ...], seed: int, device: str
    ) -> None:
        super().__init__(seed, device)
        self._album = album
        self._weights = torch.zeros(len(album), device=device)
        for name, share in shares.items():
            some = album.of(name)
            self._weights[some] = share / max(1, len(some))
        strongly = torch.full((len(album),), STRONGLY, device=device)
        strongly[album.of(*photographs)] = 1.0
        self._strongly = strongly
        self._loose = dice_of(album, album.of(*(name for name in photographs if shares.get(name))))

    def batch(self, count: int) -> tuple[Tensor, Tensor]:
        """(count, 3, SIDE_PX, SIDE_PX), -0.5 to 0.5, and its targets: see `targets`."""
        picked = torch.multinomial(self._weights, count, replacement=True, generator=self.random)
        warp, scale = self._warps(picked)
        back = inverted(warp)
        shown = self._filled(self._album.cut(picked, back, SIDE_PX), picked, back)
        rows = moved(self._album.dice[picked], warp, scale)
        for _ in range(2 if len(self._loose) else 0):
            shown, rows = self._laid(shown, rows, (self._strongly[picked] < 1) * LAID)
        shown = self.of_some(shown, self._strongly[picked], self.dyed)
        return self.taken(self.lit(shown)) - 0.5, targets(rows)

    def _laid(self, shown: Tensor, rows: Tensor, often: Tensor) -> tuple[Tensor, Tensor]:
        """Puts a photographed die into some squares, away from other dice."""
        some = (self._uniform((len(shown),)) < often).nonzero()[:, 0]
        loose = self._loose.only(
            torch.randint(len(self._loose), (len(some),), generator=self.random, device=self.device)
        )
        want = LAID_PX[0] * (LAID_PX[1] / LAID_PX[0]) ** self._uniform((len(some),))
        scale = (want / loose.where[:, 2]).clamp(*LAID_SCALES)
        spot = self._uniform((len(some), 2), 0.1, 0.9) * SIDE_PX
        turn = turns(self, self._album.can_roll[loose.picture]) * scale[:, None, None]
        warp = torch.cat([turn, (spot - (turn @ loose.where[:, :2, None])[:, :, 0])[:, :, None]], 2)
        at, boxes = self._album.dice[loose.picture], loose.where[:, None, :2]
        one = at.gather(1, (at[:, :, :2] - boxes).norm(dim=2).argmin(1)[:, None, None].expand(-1, 1, 6))
        new = moved(one, warp, scale)
        side = (rows[some, :, WIDTH] * rows[some, :, HEIGHT]).sqrt() + scale[:, None] * loose.where[:, 2:]
        is_apart = (rows[some, :, :2] - spot[:, None]).norm(dim=2) > APART * side
        keep = (is_apart | (rows[some, :, VALUE] == ABSENT)).all(1)
        back = inverted(warp)
        x, y = places(back, SIDE_PX)
        u, v = (
            (place - one[:, 0, k, None, None]) / (0.59 * one[:, 0, k + 2, None, None]) for k, place in ((X, x), (Y, y))
        )
        mask = ((1 - u.abs() ** 2.6 - v.abs() ** 2.6) * 4).clamp(0, 1)[:, None] * keep[:, None, None, None]
        patch = self._album.cut(loose.picture, back, SIDE_PX)
        more = torch.zeros_like(rows[:, :1])
        more[:, :, VALUE] = ABSENT
        more[some[keep]] = new[keep]
        return shown.index_copy(0, some, shown[some] * (1 - mask) + patch * mask), torch.cat([rows, more], 1)

    def _warps(self, picked: Tensor) -> tuple[Tensor, Tensor]:
        """Transforms (n, 2, 3) from a picture's pixels to its square's, and how much each enlarges."""
        n, dice = len(picked), self._album.dice[picked]
        size = self._album.sizes[picked, 0].float()
        count = (dice[:, :, VALUE] != ABSENT).sum(1)
        die = dice[torch.arange(n, device=self.device), (self._uniform((n,)) * count).long()]
        is_on_die = (count > 0) & (self._uniform((n,)) < ON_A_DIE)
        low, high = (torch.tensor(px, device=self.device).log() for px in DIE_PX)
        want = (low + (high - low) * self._uniform((n,))).exp()
        anyhow = SCALES[0] * (1.6 / SCALES[0]) ** self._uniform((n,))
        scale = torch.where(is_on_die, want / (die[:, WIDTH] * die[:, HEIGHT]).clamp(min=1).sqrt(), anyhow).clamp(
            *SCALES
        )
        aside = self._uniform((n, 2), -0.45, 0.45) * SIDE_PX / scale[:, None]
        at = torch.where(is_on_die[:, None], die[:, :2] + aside, self._uniform((n, 2)) * size)
        half = (SIDE_PX / 2 / scale)[:, None].expand(n, 2)
        within = torch.minimum(torch.maximum(at, half), size - half)
        at = torch.where(2 * half < size, within, at)
        turn = turns(self, self._album.can_roll[picked]) * scale[:, None, None]
        return torch.cat([turn, SIDE_PX / 2 - turn @ at[:, :, None]], 2), scale

    def _filled(self, shown: Tensor, picked: Tensor, back: Tensor) -> Tensor:
        """Half of the squares with one colour beyond their picture."""
        x, y = places(back, SIDE_PX)
        width, height = (self._album.sizes[picked, 0, k, None, None] for k in (0, 1))
        is_beyond = (x < -0.5) | (y < -0.5) | (x > width - 0.5) | (y > height - 0.5)
        is_beyond &= self._uniform((len(picked), 1, 1)) < FILLED
        return torch.where(is_beyond[:, None], self._uniform((len(picked), 3, 1, 1)), shown)


def turns(draws: Varied, can_roll: Tensor) -> Tensor:
    """Turns (n, 2, 2), any way where a picture may be rolled, often by right angles; half of them mirrored."""
    n, kind = len(can_roll), draws._uniform((len(can_roll),))
    slight = 0.1 * draws._normal((n,))
    right = (4 * draws._uniform((n,))).floor() * torch.pi / 2 + 0.2 * slight
    rolled = torch.where(kind < 0.5, draws._uniform((n,), 0, 2 * torch.pi), torch.where(kind < 0.8, right, slight))
    angle = torch.where(can_roll, rolled, slight)
    flip = torch.where(draws._uniform((n,)) < 0.5, -1.0, 1.0)
    cos, sin = angle.cos(), angle.sin()
    return torch.stack([torch.stack([cos * flip, -sin], 1), torch.stack([sin * flip, cos], 1)], 1)


def moved(dice: Tensor, warp: Tensor, scale: Tensor) -> Tensor:
    """Rows of `Album.dice` brought into the square: the box of the ellipse in the old box."""
    at = torch.einsum("nij,nkj->nki", warp[:, :, :2], dice[:, :, :2]) + warp[:, None, :, 2]
    turned = (warp[:, :, :2] / scale[:, None, None]) ** 2
    size = torch.einsum("nij,nkj->nki", turned, dice[:, :, [WIDTH, HEIGHT]] ** 2).sqrt() * scale[:, None, None]
    return torch.cat([at, size, dice[:, :, [VALUE, SEEN]]], 2)


def targets(rows: Tensor) -> Tensor:
    """The finder's targets for squares with these dice (n, k, 6).

    (n, 8, rows, columns): heat, offset x, y (cells), log w, log h (of px / 32), value (-1: none), mask of boxes, weight
    of heat: the warmest cells of a die weigh 1 in all. For a die cut off by the edge the target is the visible part, as
    in the labels at a picture's edge.
    """
    inside = torch.where(rows[..., VALUE] == ABSENT, 0, inside_of(rows, SIDE_PX, SIDE_PX))
    inside, order = inside.topk(min(MOST, rows.shape[1]), 1)
    rows = seen_part(rows.gather(1, order[:, :, None].expand(-1, -1, 6)), SIDE_PX, SIDE_PX)
    side = (rows[..., WIDTH] * rows[..., HEIGHT]).sqrt()
    is_clear = (inside >= IS_INSIDE) & (rows[..., SEEN] >= LEAST_SEEN) & (side >= SIZES_PX[0]) & (side <= SIZES_PX[1])
    grid = SIDE_PX // STRIDE_PX
    line = torch.arange(grid, device=rows.device, dtype=rows.dtype)
    gx, gy = (rows[..., k] / STRIDE_PX - 0.5 for k in (X, Y))
    across = gx[:, :, None, None] - line[None, None, None, :]
    down = gy[:, :, None, None] - line[None, None, :, None]
    spread, reach = ((share * side / STRIDE_PX).clamp(min=0.7)[:, :, None, None] for share in (HEAT_SPREAD, HEAT_REACH))
    heat = torch.exp(-((torch.hypot(across, down) - reach).clamp(min=0) ** 2) / (2 * spread**2))
    middle = [at.round().clamp(0, grid - 1)[:, :, None] == line for at in (gy, gx)]
    heat = torch.where(middle[0][..., None] & middle[1][:, :, None, :], 1.0, heat) * is_clear[:, :, None, None]
    best, which = heat.max(1)
    near = best > 0.4

    def of_best(each: Tensor) -> Tensor:
        return each.expand_as(heat).gather(1, which[:, None])[:, 0]

    half_w, half_h = (rows[:, :, k, None, None] * 0.6 / STRIDE_PX for k in (WIDTH, HEIGHT))
    is_open = ((across.abs() < half_w) & (down.abs() < half_h) & ((inside > 0) & ~is_clear)[:, :, None, None]).any(1)
    is_full = heat == 1
    share = 1 / is_full.sum((2, 3), keepdim=True).clamp(min=1)
    weight = torch.where(is_full.any(1), of_best(share.to(heat)), (~is_open).to(heat))
    value = torch.where(inside > 0.98, rows[..., VALUE], torch.where(inside < 0.6, 0.0, -1.0))[:, :, None, None]
    sizes = [(rows[:, :, k] / 32).clamp(min=1e-3).log()[:, :, None, None] for k in (WIDTH, HEIGHT)]
    boxes = [torch.where(near, of_best(each), 0) for each in (across, down, *sizes)]
    return torch.stack([best, *boxes, torch.where(near, of_best(value), -1), near.to(heat), weight], 1)
