"""Lessons cut out of an album on one device: of faces, and of the surroundings of a find."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from bench.train.dice_album import Album
from bench.train.dice_finds import NO_DIE, Places, all_of
from bench.train.dice_squares import turns
from bench.train.dice_varied import LUMA, Varied, grey_of, main_axes
from vision.photo.dice.context import FAR
from vision.photo.dice.face import CROP_PX, REACH, WITHIN
from vision.photo.dice.limits import LIMITS

SHIFT, SIZE_SPREAD, SLANT = 0.06, 0.13, 0.06
"""Spreads of a crop's place, in sides of the die, of the logarithm of its size, and of how it is slanted."""
COARSE, LEAST_DIE_PX = 0.5, 17.0
"""How often a crop is as if taken from afar, and how small a die may be then."""
DYED, TWO_INKS, CLOSE_INKS, DARK, ODD = 0.3, (0.06, 0.24), 0.45, 0.5, 0.15
"""Share of scenes with dyed dice; shares of scenes' and of photographs' dice recoloured with two other colours; and
shares of these with about equal brightness, a dark body, or the pips' colour on the body."""
LEAST_INKS_APART = 0.24
OTHER_GROUND = (0.5, 0.25)
"""How often a die of two other colours, and a photographed one, is laid on another ground."""
SECOND_INK = 0.1
"""Share of crops shown as in the reader's other looks, by their second ink alone."""
Lot = tuple[float, Places]


class Lots:
    """Places to draw from, each lot with its share."""

    def __init__(self, lots: Sequence[Lot]) -> None:
        kept = [(share, places) for share, places in lots if share > 0 and len(places)]
        self.places = all_of([places for _, places in kept])
        self.weights = torch.cat([torch.full_like(p.where[:, 0], share / len(p)) for share, p in kept])


class FaceLessons(Varied):
    """Crops as the face readers get them."""

    def __init__(self, album: Album, lots: Sequence[Lot], photographs: tuple[str, ...], seed: int, device: str) -> None:
        super().__init__(seed, device)
        self._album, self._lots = album, Lots(lots)
        self._is_photo = torch.isin(self._lots.places.picture, album.of(*photographs))
        self._grounds = album.of(*(name for name in album.sources if name not in photographs))

    def batch(self, count: int, has_inks: bool) -> tuple[Tensor, Tensor]:
        """(count, 3 or 6, CROP_PX, CROP_PX) as the networks eat them, and their classes."""
        picked = torch.multinomial(self._lots.weights, count, replacement=True, generator=self.random)
        places, is_photo = self._lots.places.only(picked), self._is_photo[picked]
        back = aimed(*turned(self, self._album, places, SHIFT, SIZE_SPREAD))
        shown = self._album.cut(places.picture, back, CROP_PX)
        is_die = (places.face > 0) & (places.face < NO_DIE)
        two = self._uniform((count,)) < torch.where(is_photo, TWO_INKS[1], TWO_INKS[0])
        shown = self.of_some(shown, (two & is_die).float(), self._two_inks)
        moved = torch.where(two, OTHER_GROUND[0], torch.where(is_photo, OTHER_GROUND[1], 0.0)) * is_die
        shown = self._on_other_ground(shown, moved)
        shown = self.lit(self.of_some(shown, torch.where(is_photo, 1.0, DYED), self.dyed))
        least = LEAST_DIE_PX * REACH / CROP_PX
        can_shrink = COARSE * (places.where[:, 2] > LEAST_DIE_PX)
        shown = self.of_some(shown, can_shrink, self.grouped(lambda some: self.coarse(some, least)))
        shown = self.of_some(self.taken(shown), SECOND_INK, self._by_second_ink) - 0.5
        return (torch.cat([shown, self._inks(shown)], 1) if has_inks else shown), places.face

    def _inks(self, shown: Tensor) -> Tensor:
        """The inks of `vision.photo.dice.face.with_inks`, their signs turned at random."""
        mean, spread, axes = _colours_of(shown, torch.from_numpy(WITHIN))
        signs = torch.where(self._uniform((len(shown), 1, 3)) < 0.5, -1.0, 1.0)
        across = axes * signs / (spread.clamp(min=0).sqrt() + LIMITS.ink_spread_floor / 255)[:, None]
        inks = across.transpose(1, 2) @ (shown.flatten(2) - mean)
        return (inks.clamp(-LIMITS.max_ink_spreads, LIMITS.max_ink_spreads) / (2 * LIMITS.max_ink_spreads)).view_as(
            shown
        )

    def _by_second_ink(self, shown: Tensor) -> Tensor:
        """As `vision.photo.dice.face.second_ink` shows it, either way up."""
        middle = torch.zeros(CROP_PX, CROP_PX, dtype=torch.bool)
        middle[CROP_PX // 5 : -(CROP_PX // 5), CROP_PX // 5 : -(CROP_PX // 5)] = True
        mean, _, axes = _colours_of(shown, middle.flatten())
        along = (axes[:, None, :, 1] @ (shown.flatten(2) - mean)).view(-1, 1, CROP_PX, CROP_PX)
        part = along[:, 0, CROP_PX // 4 : -CROP_PX // 4, CROP_PX // 4 : -CROP_PX // 4].flatten(1)
        low, high = (part.quantile(share, 1)[:, None, None, None] for share in (0.03, 0.97))
        grey = ((along - low) / (high - low).clamp(min=LIMITS.min_ink_range / 255) * 220 + 18) / 255
        grey = torch.where(self._uniform((len(shown), 1, 1, 1)) < 0.5, 1 - grey, grey)
        return grey.clamp(0, 1).expand(-1, 3, -1, -1)

    def _two_inks(self, shown: Tensor) -> Tensor:
        """The die as if made of two other colours, often hardly lighter one than the other, and marbled."""
        n = len(shown)
        grey = grey_of(shown)
        part = grey[:, 0, CROP_PX // 4 : -CROP_PX // 4 : 2, CROP_PX // 4 : -CROP_PX // 4 : 2].flatten(1)
        low, high = (part.quantile(share, 1)[:, None, None, None] for share in (0.04, 0.96))
        share = ((grey - low) / (high - low).clamp(min=1e-3)).clamp(-0.2, 1.2)
        die = grey.flatten(1)[:, torch.from_numpy(WITHIN).to(self.device)]
        is_pale = (die > (low + high)[:, 0, 0] / 2).float().mean(1) > 0.5
        share = torch.where((is_pale != (self._uniform((n,)) < ODD))[:, None, None, None], 1 - share, share)
        pip = _coloured(self._uniform((n,)), self._uniform((n,), 0.55, 1)) * self._uniform((n, 1), 0.25, 1)
        body = _coloured(self._uniform((n,)), self._uniform((n,))) * self._uniform((n, 1), 0.25, 1)
        luma = torch.tensor(LUMA, device=self.device)
        alike = body * ((pip @ luma) / (body @ luma).clamp(min=0.01) * self._uniform((n,), 0.5, 1.4))[:, None]
        dark = torch.where(self._uniform((n, 1)) < DARK, body * 0.35, body)
        body = torch.where(self._uniform((n, 1)) < CLOSE_INKS, alike, dark).clamp(0, 1)
        waves = functional.interpolate(self._uniform((n, 1, 5, 5), -1, 1), size=CROP_PX, mode="bicubic")
        shown_body = body[:, :, None, None] * (1 + 0.9 * self._uniform((n, 1, 1, 1)) * waves)
        made = (shown_body + (pip - body)[:, :, None, None] * share).clamp(0, 1)
        is_told = ((high - low).flatten() > 0.2) & ((pip - body).abs().amax(1) > LEAST_INKS_APART)
        return torch.where(is_told[:, None, None, None], made, shown)

    def _on_other_ground(self, shown: Tensor, often: Tensor) -> Tensor:
        """Keeps the die in the middle of some crops, and lays it on a part of a scene."""
        some = (self._uniform((len(shown),)) < often).nonzero()[:, 0]
        if not len(some):
            return shown
        numbers = torch.randint(len(self._grounds), (len(some),), generator=self.random, device=self.device)
        picked = self._grounds[numbers]
        scale = self._uniform((len(some), 1, 1), 0.7, 2)
        turn = torch.eye(2, device=self.device) * scale
        at = self._uniform((len(some), 2)) * self._album.sizes[picked, 0]
        ground = self._album.cut(picked, torch.cat([turn, at[:, :, None]], 2), CROP_PX)
        line = (torch.arange(CROP_PX, device=self.device) - (CROP_PX - 1) / 2) / (0.57 * CROP_PX / REACH)
        mask = ((1 - line.abs()[None, :] ** 2.6 - line.abs()[:, None] ** 2.6) * 4).clamp(0, 1)
        return shown.index_copy(0, some, ground * (1 - mask) + shown[some] * mask)


def _coloured(hue: Tensor, strength: Tensor) -> Tensor:
    """Red, green, blue (n, 3), 0 to 1, of the brightest colour of a hue; `strength` is its distance from white."""
    third = torch.tensor([0.0, 4.0, 2.0], device=hue.device)
    pure = (((hue[:, None] * 6 + third) % 6 - 3).abs() - 1).clamp(0, 1)
    return 1 - strength[:, None] * (1 - pure)


def _colours_of(shown: Tensor, within: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The mean (n, 3, 1) of the colours of pixels in the mask, and their spreads along their main axes."""
    die = shown.flatten(2)[:, :, within.to(shown.device)]
    mean = die.mean(2, keepdim=True)
    die = die - mean
    return mean, *main_axes(die @ die.transpose(1, 2) / die.shape[2])


def turned(draws: Varied, album: Album, places: Places, shift: float, size_spread: float) -> tuple[Tensor, Tensor]:
    """How crops' pixels are turned, slanted and enlarged to pictures', (n, 2, 2), and their shifted middles, (n, 2)."""
    n = len(places)
    slant = torch.eye(2, device=draws.device) + SLANT * draws._normal((n, 2, 2)) * (draws._uniform((n, 1, 1)) < 0.5)
    turn = turns(draws, album.can_roll[places.picture]) @ slant
    side_px = places.where[:, 2:] * (size_spread * draws._normal((n, 1))).exp()
    middle = places.where[:, :2] + shift * places.where[:, 2:] * draws._normal((n, 2))
    return turn * (REACH * side_px / CROP_PX)[:, :, None], middle


def aimed(turn: Tensor, middle: Tensor) -> Tensor:
    """The transforms (n, 2, 3) from crops' pixels to their pictures', which bring a crop's middle to `middle`."""
    return torch.cat([turn, (middle - turn.sum(2) * (CROP_PX - 1) / 2)[:, :, None]], 2)


class ContextLessons(Varied):
    """Near and far views of finds, `vision.photo.dice.context.crops_of`; wrong answers come more often."""

    FIRST_LOSS, LEAST_OFTEN, MOST_OFTEN, FORGOTTEN = 0.3, 0.3, 6.0, 0.3
    SHIFT, SIZE_SPREAD = 0.05, 0.10
    COARSE, COARSEST, RECOLORED, DYED = 0.4, 16 / 43, 0.6, 0.15

    def __init__(self, album: Album, lots: Sequence[Lot], seed: int, device: str) -> None:
        super().__init__(seed, device)
        self._album, self._lots = album, Lots(lots)
        self._loss = torch.full_like(self._lots.weights, self.FIRST_LOSS)

    def batch(self, count: int) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """(count, 6, CROP_PX, CROP_PX), and the numbers of these finds with whether each is a die."""
        often = self.LEAST_OFTEN + (self._loss / self.FIRST_LOSS).clamp(max=self.MOST_OFTEN)
        picked = torch.multinomial(self._lots.weights * often, count, replacement=True, generator=self.random)
        places = self._lots.places.only(picked)
        turn, middle = turned(self, self._album, places, self.SHIFT, self.SIZE_SPREAD)
        backs = (aimed(size * turn, middle) for size in (1, FAR.size))
        shown = [self._album.cut(places.picture, back, CROP_PX) for back in backs]
        shown[0] = self.of_some(shown[0], self.COARSE, self.grouped(lambda some: self.coarse(some, self.COARSEST)))
        both = self.of_some(torch.cat(shown, 3), self.RECOLORED, self._recolored) - 0.5
        return torch.cat(both.split(CROP_PX, 3), 1), (picked, places.is_die.float())

    def _recolored(self, both: Tensor) -> Tensor:
        return self.taken(self.lit(self.of_some(both, self.DYED, self.dyed)))

    def learned(self, picked: Tensor, loss: Tensor) -> None:
        """Records the network's errors for these finds."""
        self._loss[picked] = (1 - self.FORGOTTEN) * self._loss[picked] + self.FORGOTTEN * loss
