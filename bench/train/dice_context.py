"""Makes the network that tells by what lies about a find whether it is a die.

    python -m bench.train.dice_context --photos DIR --bank DIR [--bank DIR ...] [--begin FILE.pt] -o FILE.onnx

It learns from what the package's finder finds in banks of rendered scenes (`bench.train.dice_bank`,
`bench.train.dice_rooms`), in drawn tables without dice, in photographs of cards and, with `--with-photos`, of dice.
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
from bench.train.nets import Draws, export, soft
from vision.dice_face import CROP_PX

BATCH, RATE, DECAY, SMOOTHED, KEPT, CLIPPED = 128, 1.5e-3, 0.02, 0.01, 0.998, 5.0
CLUTTER, CLUTTER_SEED, SEED = 1200, 2_800_000, 5
SHARES = {"dice": 0.44, "rendered": 0.30, "clutter": 0.18, "cards": 0.08}
"""Shares of crops of dice, and of what is none in rendered scenes, drawn tables and photographs of cards."""
HARD = 0.75
"""How much of each share is of finds that finder and face readers leave open."""
ROLLED, SIZE_SPREAD, SHIFT, SLANT = 0.8, 0.10, 0.05, 0.05
COARSE, COARSEST = 0.4, 16 / 43
"""How often the near crop is as if taken from afar, and how coarse at most."""
RECOLORED, STRONGLY, SWAPPED, INVERTED, MIXED, GREY = 0.6, 0.15, 0.3, 0.12, 0.4, 0.03
"""Shares of crops of other cameras, lamps and dyes, and of those whose channels are swapped, inverted, mixed, lost."""
BLURRED, SHARPENED, NOISY, NOISE = 0.28, 0.14, 0.35, 10 / 255


class Lessons:
    """All lessons on one device, to be cut out of."""

    def __init__(self, lessons: Sequence[Lesson], device: str) -> None:
        self.near, self.far = (
            torch.from_numpy(np.stack([getattr(one, name)[..., ::-1] for one in lessons])).to(device)
            for name in ("near", "far")
        )
        self.is_die = torch.tensor([float(one.is_die) for one in lessons], device=device)
        self.can_roll = np.array([one.can_roll for one in lessons])
        self.lots = _lots_of(lessons)

    def batch(self, rng: np.random.Generator, count: int) -> tuple[Tensor, Tensor, Tensor]:
        """So many crops from near and from afar, (N, 3, CROP_PX, CROP_PX), red, green, blue 0 to 1; and (N,): 1 for
        a die. Each is turned, shifted and slanted, the same from near and from afar."""
        shares = np.array([share for share, _ in self.lots])
        which = rng.choice(len(self.lots), count, p=shares / shares.sum())
        picked = np.array([self.lots[k][1][rng.integers(len(self.lots[k][1]))] for k in which])
        is_rolled = self.can_roll[picked] & (rng.random(count) < ROLLED)
        angle = np.where(is_rolled, rng.uniform(0, 2 * np.pi, count), rng.normal(0, 0.1, count))
        flip = np.where(rng.random(count) < 0.5, -1.0, 1.0)
        cos, sin = np.cos(angle), np.sin(angle)
        turn = np.stack([np.stack([cos * flip, -sin], 1), np.stack([sin * flip, cos], 1)], 1)
        slant = np.eye(2) + SLANT * rng.normal(size=(count, 2, 2)) * (rng.random(count) < 0.5)[:, None, None]
        turn = turn @ slant * np.exp(rng.normal(0, SIZE_SPREAD, count))[:, None, None]
        shift, at = rng.normal(0, SHIFT, (count, 2)), torch.from_numpy(picked).to(self.near.device)
        near, far = (
            _cut(pieces[at], turn, shift * 2 / reach)
            for pieces, reach in zip((self.near, self.far), REACHES, strict=True)
        )
        return near, far, self.is_die[at]


def _lots_of(lessons: Sequence[Lesson]) -> list[tuple[float, np.ndarray]]:
    """The numbers of the lessons by what they are, each lot with its share."""
    lots: dict[tuple[str, bool], list[int]] = {}
    for k, one in enumerate(lessons):
        name = "dice" if one.is_die else one.source if one.source in SHARES else "rendered"
        lots.setdefault((name, one.is_hard), []).append(k)
    return [(SHARES[name] * (HARD if is_hard else 1 - HARD), np.array(lot)) for (name, is_hard), lot in lots.items()]


def _cut(pieces: Tensor, turn: np.ndarray, shift: np.ndarray) -> Tensor:
    """Crops out of pieces (N, PIECE_PX, PIECE_PX, 3); `shift` in half sides of a crop."""
    share = CROP_PX / PIECE_PX
    affine = torch.from_numpy(np.concatenate([turn, shift[..., None]], 2) * share).float().to(pieces.device)
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
) -> Context:
    """The running mean of the weights of a network taught with one cycle of the rate; with `begun` it goes on."""
    torch.manual_seed(SEED)
    rng, all_lessons, varied = np.random.default_rng(SEED), Lessons(lessons, device), Varied(SEED, device)
    net = (begun or Context()).train().to(device, memory_format=torch.channels_last)
    mean_net = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(KEPT), use_buffers=True)
    optimizer = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=DECAY)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=rate, total_steps=steps, pct_start=0.15)
    for step in range(steps):
        near, far, is_die = all_lessons.batch(rng, batch)
        shown = varied(near, far).to(memory_format=torch.channels_last)
        with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
            said = net(shown)
        want = SMOOTHED + (1 - 2 * SMOOTHED) * is_die
        loss = functional.binary_cross_entropy_with_logits(said.float()[:, 0], want)
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
@click.option("--steps", default=14000)
@click.option("--batch", default=BATCH)
@click.option("--rate", default=RATE, help="How fast it learns at most.")
@click.option("--begin", type=click.Path(path_type=Path, exists=True))
@click.option("--device", default="cpu")
@click.option("--processes", default=1, help="That look for dice.")
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True)
def main(
    photos: Path,
    banks: tuple[Path, ...],
    with_photos: bool,
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
    trained = train(lessons, steps, device, batch, rate, begun)
    torch.save(trained.state_dict(), out.with_suffix(".pt"))
    export(trained, (6, CROP_PX, CROP_PX), out)


if __name__ == "__main__":
    main()
