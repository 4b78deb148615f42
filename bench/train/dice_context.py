"""Makes the network that tells by what lies about a find whether it is a die.

    python -m bench.train.dice_context --photos DIR --bank DIR [--bank DIR ...] --traced 64000 --rooms DIR -o FILE.onnx

It learns from what the package's finder finds in banks of rendered scenes (`bench.train.dice_bank`,
`bench.train.dice_rooms`), in drawn tables without dice, in photographs of cards and, with `--with-photos`, of dice; and
from traced scenes (`bench.train.dice_traced`), where it is known what might be taken for a die.
`--device cuda` trains on an accelerator; what is varied is varied there too. `--begin`: weights (a .pt file that an
earlier run left beside its FILE.onnx) to go on from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from bench.train.dice_context_lessons import PIECE_PX, REACHES, Lesson, lessons_of
from bench.train.dice_data import draw_clutter, load, load_empty
from bench.train.dice_nets import Context
from bench.train.dice_traced import Traced, rooms_of, traced
from bench.train.nets import Draws, export, soft
from vision.dice_face import CROP_PX

BATCH, RATE, DECAY, SMOOTHED, KEPT, CLIPPED = 2048, 4e-3, 0.03, 0.01, 0.998, 5.0
CLUTTER, CLUTTER_SEED, SEED = 3600, 2_800_000, 5
SHARES = {
    ("traced", True): 0.20, ("rooms", True): 0.19, ("rendered", True): 0.10, ("traced", False): 0.17,
    ("rooms", False): 0.13, ("rendered", False): 0.07, ("clutter", False): 0.11, ("cards", False): 0.03,
}  # fmt: skip
"""Shares of crops of dice and of what is none, in traced, path-traced and drawn scenes, drawn tables and photographs of
cards; photographs of dice count as drawn scenes."""
HARD = 0.88
"""How much of each share is of finds that finder and face readers leave open; all traced ones count as such."""
FIRST_LOSS, LEAST_OFTEN, MOST_OFTEN, FORGOTTEN = 0.3, 0.3, 6.0, 0.3
"""A find is shown the more often the more it was got wrong when it was shown: see `Lessons.learned`."""
ROLLED, SIZE_SPREAD, SHIFT, SLANT = 0.8, 0.10, 0.05, 0.06
COARSE, COARSEST = 0.4, 16 / 43
"""How often the near crop is as if taken from afar, and how coarse at most."""
RECOLORED, STRONGLY, SWAPPED, INVERTED, MIXED, GREY = 0.6, 0.15, 0.3, 0.12, 0.4, 0.03
"""Shares of crops of other cameras, lamps and dyes, and of those whose channels are swapped, inverted, mixed, lost."""
BLURRED, SHARPENED, NOISY, NOISE = 0.28, 0.14, 0.35, 10 / 255


class Lessons(Draws):
    """All lessons on one device, to be cut out of."""

    def __init__(self, lessons: Sequence[Lesson], device: str, more: Traced | None = None) -> None:
        super().__init__(SEED, device)
        near, far = (
            torch.from_numpy(np.stack([getattr(one, name)[..., ::-1] for one in lessons])).to(device)
            for name in ("near", "far")
        )
        is_die, can_roll = (
            torch.tensor([getattr(one, name) for one in lessons], device=device) for name in ("is_die", "can_roll")
        )
        weights = _weights_of(lessons, device)
        if more is not None:
            near, far = torch.cat([near, more.near]), torch.cat([far, more.far])
            is_die, can_roll = torch.cat([is_die, more.is_die > 0]), torch.cat([can_roll, more.can_roll])
            of_dice, of_none = (
                SHARES["traced", truth] / max(1, int(((more.is_die > 0) == truth).sum())) for truth in (True, False)
            )
            weights = torch.cat([weights, torch.where(more.is_die > 0, of_dice, of_none)])
        self.near, self.far, self.is_die, self.can_roll, self._weights = near, far, is_die.float(), can_roll, weights
        self._loss = torch.full_like(weights, FIRST_LOSS)

    def batch(self, count: int) -> tuple[Tensor, Tensor, Tensor]:
        """Numbers of so many lessons (N,), and of each the crops from near and from afar, (N, 3, CROP_PX, CROP_PX),
        red, green, blue 0 to 1. Each is turned, shifted and slanted, the same from near and from afar."""
        often = LEAST_OFTEN + (self._loss / FIRST_LOSS).clamp(max=MOST_OFTEN)
        picked = torch.multinomial(self._weights * often, count, replacement=True, generator=self.random)
        is_rolled = self.can_roll[picked] & (self._uniform((count,)) < ROLLED)
        angle = torch.where(is_rolled, self._uniform((count,), 0, 2 * torch.pi), 0.1 * self._normal((count,)))
        flip = torch.where(self._uniform((count,)) < 0.5, -1.0, 1.0)
        cos, sin = angle.cos(), angle.sin()
        turn = torch.stack([torch.stack([cos * flip, -sin], 1), torch.stack([sin * flip, cos], 1)], 1)
        is_slanted = (self._uniform((count,)) < 0.5)[:, None, None]
        turn = turn @ (torch.eye(2, device=self.device) + SLANT * self._normal((count, 2, 2)) * is_slanted)
        turn = turn * (SIZE_SPREAD * self._normal((count,))).exp()[:, None, None]
        shift = SHIFT * self._normal((count, 2))
        near, far = (
            _cut(pieces[picked], turn, shift * 2 / reach)
            for pieces, reach in zip((self.near, self.far), REACHES, strict=True)
        )
        return picked, near, far

    def learned(self, picked: Tensor, loss: Tensor) -> None:
        """Takes in how wrong the network was about these lessons."""
        self._loss[picked] = (1 - FORGOTTEN) * self._loss[picked] + FORGOTTEN * loss


def _weights_of(lessons: Sequence[Lesson], device: str) -> Tensor:
    """How often each is shown at first: its lot's share, shared out among the lot."""
    names = []
    for one in lessons:
        kind = (one.source, one.is_die)
        names.append((kind if kind in SHARES else ("rendered", one.is_die), one.is_hard))
    counts = {name: names.count(name) for name in set(names)}
    shares = [SHARES[kind] * (HARD if is_hard else 1 - HARD) / counts[kind, is_hard] for kind, is_hard in names]
    return torch.tensor(shares, device=device)


def _cut(pieces: Tensor, turn: Tensor, shift: Tensor) -> Tensor:
    """Crops out of pieces (N, PIECE_PX, PIECE_PX, 3); `shift` in half sides of a crop."""
    affine = torch.cat([turn, shift[..., None]], 2) * (CROP_PX / PIECE_PX)
    shown = pieces.permute(0, 3, 1, 2).float() / 255
    grid = functional.affine_grid(affine, [len(shown), 3, CROP_PX, CROP_PX], align_corners=False)
    return functional.grid_sample(shown, grid, "bilinear", "border", align_corners=False)


class Varied(Draws):
    """Crops in other light, of other dyes, through other cameras."""

    def __call__(self, near: Tensor, far: Tensor) -> Tensor:
        """(N, 3, H, W) twice -> (N, 6, H, W) as `vision.dice_context.crops_of` makes it."""
        side_by_side = torch.cat([self._of_some(near, COARSE, self._coarse), far], 3)
        shown = self._of_some(side_by_side, RECOLORED, self._recolored) - 0.5
        return torch.cat(shown.split(near.shape[3], 3), 1)

    def _of_some(self, shown: Tensor, share: float, changed: Callable[[Tensor], Tensor]) -> Tensor:
        """A share of the crops are changed."""
        some = (self._uniform((len(shown),)) < share).nonzero()[:, 0]
        return shown.index_copy(0, some, changed(shown[some])) if len(some) else shown

    def _coarse(self, near: Tensor) -> Tensor:
        side = max(16, round(CROP_PX * COARSEST ** float(self._uniform(()))))
        small = functional.interpolate(near, size=(side, side), mode="bilinear", antialias=True)
        return functional.interpolate(small, size=near.shape[2:], mode="bilinear")

    def _recolored(self, shown: Tensor) -> Tensor:
        shown = self._of_some(shown, STRONGLY, self._dyed)
        shown = self._of_some(shown, GREY, lambda some: some.mean(1, keepdim=True).expand_as(some))
        shown = self._of_some(self._lit(shown), BLURRED, self._blurred)
        return self._of_some(self._of_some(shown, SHARPENED, self._sharpened), NOISY, self._noisy)

    def _dyed(self, shown: Tensor) -> Tensor:
        shown = self._of_some(shown, SWAPPED, lambda some: some[:, torch.randperm(3).tolist()])
        return self._of_some(self._of_some(shown, INVERTED, lambda some: 1 - some), MIXED, self._mixed)

    def _mixed(self, shown: Tensor) -> Tensor:
        mix = torch.eye(3, device=self.device) + 0.25 * self._normal((len(shown), 3, 3))
        return torch.einsum("nij,njhw->nihw", mix / mix.sum(2, keepdim=True), shown).clamp(0, 1)

    def _lit(self, shown: Tensor) -> Tensor:
        n = len(shown)
        gain = self._uniform((n, 1, 1, 1), 0.55, 1.35) * (1 + 0.07 * self._normal((n, 3, 1, 1)))
        level = (shown * gain + 0.05 * self._normal((n, 1, 1, 1))).clamp(1e-4, 1)
        return level ** (0.28 * self._normal((n, 1, 1, 1))).exp()

    def _blurred(self, shown: Tensor) -> Tensor:
        return soft(shown, float(self._uniform((), 0.3, 1.4)))

    def _sharpened(self, shown: Tensor) -> Tensor:
        return (shown + float(self._uniform((), 0.3, 1.3)) * (shown - soft(shown, 1.0))).clamp(0, 1)

    def _noisy(self, shown: Tensor) -> Tensor:
        return (shown + NOISE * self._uniform((len(shown), 1, 1, 1)) * self._normal(shown.shape)).clamp(0, 1)


def train(
    lessons: Sequence[Lesson],
    steps: int,
    device: str = "cpu",
    batch: int = BATCH,
    rate: float = RATE,
    begun: Context | None = None,
    more: Traced | None = None,
) -> Context:
    """The running mean of the weights of a network taught with one cycle of the rate; with `begun` it goes on."""
    torch.manual_seed(SEED)
    all_lessons, varied = Lessons(lessons, device, more), Varied(SEED, device)
    net = (begun or Context()).train().to(device, memory_format=torch.channels_last)
    mean_net = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(KEPT), use_buffers=True)
    optimizer = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=DECAY)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=rate, total_steps=steps, pct_start=0.15)
    for step in range(steps):
        picked, near, far = all_lessons.batch(batch)
        shown = varied(near, far).to(memory_format=torch.channels_last)
        with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
            said = net(shown)
        want = SMOOTHED + (1 - 2 * SMOOTHED) * all_lessons.is_die[picked]
        losses = functional.binary_cross_entropy_with_logits(said.float()[:, 0], want, reduction="none")
        all_lessons.learned(picked, losses.detach())
        loss = losses.mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), CLIPPED)
        optimizer.step()
        cycle.step()
        mean_net.update_parameters(net)
        if step % 200 == 0:
            click.echo(f"step {step} of {steps}: loss {loss.item():.4f}")
    trained: Context = mean_net.module
    return trained.eval()


@click.command()
@click.option("--photos", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--bank", "banks", type=click.Path(path_type=Path, exists=True), multiple=True, required=True)
@click.option("--with-photos", is_flag=True, help="Learn from the licensed photographs of dice too.")
@click.option("--traced", "scenes", default=0, help="So many traced scenes.")
@click.option("--rooms", type=click.Path(path_type=Path, exists=True), help="Folder of .exr rooms that light them.")
@click.option("--steps", default=6800)
@click.option("--batch", default=BATCH)
@click.option("--rate", default=RATE, help="How fast it learns at most.")
@click.option("--begin", type=click.Path(path_type=Path, exists=True))
@click.option("--device", default="cpu")
@click.option("--processes", default=1, help="That look for dice, and lay out scenes.")
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True)
def main(
    photos: Path,
    banks: tuple[Path, ...],
    with_photos: bool,
    scenes: int,
    rooms: Path | None,
    steps: int,
    batch: int,
    rate: float,
    begin: Path | None,
    device: str,
    processes: int,
    out: Path,
) -> None:
    """Trains, and writes FILE.onnx with its weights beside it."""
    samples = [s for folder in banks for s in load(folder)]
    samples += [*draw_clutter(CLUTTER, CLUTTER_SEED), *load_empty(photos), *(load(photos) if with_photos else [])]
    lessons = lessons_of(samples, processes)
    click.echo(f"{len(lessons)} finds, {sum(lesson.is_die for lesson in lessons)} of them dice")
    begun = None
    if begin is not None:
        begun = Context()
        begun.load_state_dict(torch.load(begin, map_location=device))
    if scenes and rooms is None:
        raise click.UsageError("Traced scenes need light: name a folder of rooms with --rooms.")
    more = traced(scenes, rooms_of(rooms), device, processes) if scenes and rooms is not None else None
    trained = train(lessons, steps, device, batch, rate, begun, more)
    torch.save(trained.state_dict(), out.with_suffix(".pt"))
    export(trained, (6, CROP_PX, CROP_PX), out, bits=8)


if __name__ == "__main__":
    main()
