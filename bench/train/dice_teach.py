"""Trains the four networks of `vision.photo.dice.reader` on one device, for a given time.

    python -m bench.train.dice_teach --photos DIR --bank DIR [--bank DIR ...] --rooms DIR --device cuda -o DIR

First on scenes, traced, path-traced and drawn. Then with photographs, and again without each source that `--without`
names: networks that never saw a source read it for the figures of unseen sources. `bench.train.dice_write` reads the
output.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from math import cos, pi
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from bench.train.dice_album import Album, inside_of, joined, of_samples
from bench.train.dice_data import Sample, draw_clutter, load, row_of
from bench.train.dice_finds import NO_DIE, OPEN, Places, all_of, between, dice_of, found
from bench.train.dice_lessons import ContextLessons, FaceLessons, Lot
from bench.train.dice_nets import SMOOTHED, Context, FaceReader, Finder, face_loss, find_loss
from bench.train.dice_scenes import close, scene
from bench.train.dice_squares import Squares
from bench.train.dice_traced import rooms_of, traced
from bench.train.dice_varied import Varied
from vision.photo.dice.face import CHANNELS, COLOURS, INKS

SCENES = {"traced": 0.40, "rooms": 0.27, "rendered": 0.24, "clutter": 0.06, "cards": 0.03}
LATER = {"traced": 0.24, "rooms": 0.26, "rendered": 0.14, "clutter": 0.05, "cards": 0.03}
"""Shares of the finder's squares, at first and after photographs are added, which take the rest."""
LATER_VALUE_WEIGHT = 0.5
FACES = {"traced": (0.36, 0.17), "rooms": (0.12, 0.10), "rendered": (0.18, 0.12)}
"""Shares of the dice of scenes among the face readers' crops, at first and later."""
LEANING, BETWEEN, TAKEN, TAKEN_PHOTOS = (0.07, 0.05), (0.05, 0.04), (0.22, 0.18), 0.03
"""The same for leaning dice, for places away from any die's middle, and for the finder's false detections."""
ABOUT = {
    ("traced", 1): 0.22, ("rooms", 1): 0.18, ("rendered", 1): 0.10, ("traced", 0): 0.20, ("rooms", 0): 0.11,
    ("rendered", 0): 0.06, ("clutter", 0): 0.10, ("cards", 0): 0.03,
}  # fmt: skip
"""Shares of finds, dice (1) and none (0), in the lessons about a find's surroundings."""
ABOUT_PHOTOS = 0.15
WHOLE = 0.98
"""Minimum share inside the picture for a leaning die to be an example of "unreadable"."""
BATCH = {"find": 128, "face": 512, "inks": 512, "context": 1024}
RATES = {"find": 3e-3, "face": 3e-3, "inks": 3e-3, "context": 3e-3}
LATER_RATE = 0.5
SECONDS = {"find": (110.0, 24.0), "face": (55.0, 13.0), "inks": (60.0, 15.0), "context": (75.0, 10.0)}
"""Training time of each network, first and with photographs, on an H200; or their shares of the available time."""
WARMING, DECAY, CLIPPED = 0.15, 0.02, 5.0
MEAN_OVER = 0.06
"""The running mean of the weights covers the last batches, by this share of all batches. With a fixed reach of 500
batches a sixth of the untrained weights remained in a mean of 900."""
AT_ONCE = {"find": 8, "face": 8, "inks": 8, "context": 4}
"""Batches that are made at once: a GPU's cost is the number of steps, not of pictures."""
FIND_SCALES = (1.0, 0.5)
DRAWN_SEED, CLUTTER_SEED, EACH = 50_000_000, 51_000_000, 25
Batch = Callable[[int], tuple[Tensor, Any]]


def _shares_of(lot: tuple[Tensor, Any], many: int) -> list[tuple[Tensor, Any]]:
    """A lot of `many` batches, split up."""
    x, want = lot
    wants = zip(*(w.chunk(many) for w in want), strict=True) if isinstance(want, tuple) else want.chunk(many)
    return list(zip(x.chunk(many), wants, strict=False))


class Learner:
    """A network that learns batch by batch, and the running mean of its weights.

    On a GPU the hundreds of small steps of one batch are recorded once and then replayed as a whole: issuing each step
    took longer than running it.
    """

    def __init__(self, net: nn.Module, loss_of: Callable[..., Tensor]) -> None:
        self._device = next(net.parameters()).device
        self._net, self._loss_of = net.train().to(memory_format=torch.channels_last), loss_of
        self.mean = copy.deepcopy(net).eval()
        self._slow, self._fast = (
            [t for t in n.state_dict().values() if t.dtype.is_floating_point] for n in (self.mean, self._net)
        )
        self._rate, self._share = (torch.zeros((), device=self._device) for _ in range(2))
        on_gpu = self._device.type != "cpu"
        self._optimizer = torch.optim.AdamW(
            net.parameters(), lr=self._rate, weight_decay=DECAY, capturable=on_gpu, foreach=on_gpu
        )
        self._again: Callable[[Tensor, Any], Tensor] | None = None

    def learn(self, x: Tensor, want: Any, rate: float, share: float) -> Tensor:
        """One batch at a rate; `share` of the mean becomes the new weights. Returns the loss."""
        self._rate.fill_(rate)
        self._share.fill_(share)
        if self._device.type == "cpu":
            return self._step(x, want)
        if self._again is None:
            self._again = self._recorded(x, want)
        return self._again(x, want)

    def _step(self, x: Tensor, want: Any) -> Tensor:
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._device.type != "cpu"):
            out = self._net(x.to(memory_format=torch.channels_last))
        loss = self._loss_of(out.float(), want)
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self._net.parameters(), CLIPPED)
        self._optimizer.step()
        with torch.no_grad():
            away = torch._foreach_sub(self._fast, self._slow)
            torch._foreach_mul_(away, self._share)
            torch._foreach_add_(self._slow, away)
        return loss.detach()

    def _recorded(self, x: Tensor, want: Any) -> Callable[[Tensor, Any], Tensor]:
        x, is_one = x.clone(), isinstance(want, Tensor)
        want = want.clone() if is_one else tuple(w.clone() for w in want)
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(3):
                self._step(x, want)
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss = self._step(x, want)

        def again(new_x: Tensor, new_want: Any) -> Tensor:
            x.copy_(new_x)
            for kept, new in zip((want,) if is_one else want, (new_want,) if is_one else new_want, strict=True):
                kept.copy_(new)
            graph.replay()
            return loss

        return again


def taught(kind: str, net: nn.Module, batch: Batch, loss_of: Callable[..., Tensor], seconds: float, rate: float) -> Any:
    """The running mean of the weights of `net`, trained for `seconds` with one cycle of the rate."""
    learner = Learner(net, loss_of)
    began, step, shown, ready = time.perf_counter(), 0, 0.0, []
    while (gone := (time.perf_counter() - began) / seconds) < 1:
        since = 1 - gone / WARMING if gone < WARMING else (gone - WARMING) / (1 - WARMING)
        if not ready:
            ready = _shares_of(batch(BATCH[kind] * AT_ONCE[kind]), AT_ONCE[kind])
        x, want = ready.pop()
        loss = learner.learn(x, want, rate * max((1 + cos(pi * since)) / 2, 1e-3), 1 / (1 + MEAN_OVER * step))
        if step % 20 == 0:
            shown = 0.9 * shown + 0.1 * loss.item() if step else loss.item()
        step += 1
    click.echo(f"{kind}: {step} batches of {BATCH[kind]} in {time.perf_counter() - began:.0f} s, loss {shown:.4f}")
    return learner.mean


@dataclass(slots=True)
class School:
    """The training data: pictures, the photographs' sources, and a finder's detections."""

    album: Album
    photographs: tuple[str, ...]
    finds: Places
    seed: int = 0

    @property
    def device(self) -> str:
        """Where all of it is."""
        return str(self.album.starts.device)

    def photos(self, whole: float, sources: tuple[str, ...]) -> dict[str, float]:
        """Shares of sources of photographs, each with the root of the number of its dice."""
        roots = {name: len(dice_of(self.album, self.album.of(name))) ** 0.5 for name in sources}
        return {name: whole * root / max(1.0, sum(roots.values())) for name, root in roots.items()}

    def squares(self, sources: tuple[str, ...]) -> Squares:
        """The finder's, with photographs of these sources."""
        self.seed += 1
        shares = {**LATER, **self.photos(1 - sum(LATER.values()), sources)} if sources else SCENES
        return Squares(self.album, shares, self.photographs, self.seed, self.device)

    def faces(self, sources: tuple[str, ...]) -> FaceLessons:
        """The face readers', with photographs of these sources."""
        self.seed += 1
        later, album = int(bool(sources)), self.album
        scenes = album.of(*FACES, *(("clutter", "cards") if sources else ()))
        lots: list[Lot] = [(share[later], dice_of(album, album.of(name))) for name, share in FACES.items()]
        dice = dice_of(album, album.of(*FACES))
        rows = torch.cat([dice.where[:, :2], dice.where[:, 2:], dice.where[:, 2:]], 1)
        size = album.sizes[dice.picture, 0]
        is_whole = inside_of(rows, size[:, 0], size[:, 1]) > WHOLE
        lots.append((LEANING[later], dice.only((dice.face == 0) & is_whole)))
        draws = Varied(self.seed, self.device)
        lots.append((BETWEEN[later], all_of([between(draws, album, scenes) for _ in range(2)])))
        is_photo = torch.isin(self.finds.picture, album.of(*self.photographs))
        is_none = self.finds.face == NO_DIE
        lots.append((TAKEN[later], self.finds.only(is_none & ~is_photo)))
        if sources:
            of_these = torch.isin(self.finds.picture, album.of(*sources))
            lots.append((TAKEN_PHOTOS, self.finds.only(is_none & of_these)))
            left = 1 - sum(share for share, _ in lots)
            lots += [(share, dice_of(album, album.of(name))) for name, share in self.photos(left, sources).items()]
        return FaceLessons(album, lots, self.photographs, self.seed, self.device)

    def about(self, sources: tuple[str, ...]) -> ContextLessons:
        """The lessons about a find's surroundings."""
        self.seed += 1
        lots: list[Lot] = []
        shares = {
            **ABOUT,
            **{(name, k): share for k in (0, 1) for name, share in self.photos(ABOUT_PHOTOS, sources).items()},
        }
        for (name, is_die), share in shares.items():
            of_these = torch.isin(self.finds.picture, self.album.of(name)) & (self.finds.is_die == is_die)
            lots.append((share, self.finds.only(of_these)))
        return ContextLessons(self.album, lots, self.seed, self.device)


def teach_find(school: School, begun: nn.Module, seconds: float, sources: tuple[str, ...] = ()) -> Any:
    """The finder, started on scenes alone or continued with photographs of sources."""
    weight, rate = (LATER_VALUE_WEIGHT, RATES["find"] * LATER_RATE) if sources else (1.0, RATES["find"])
    squares = school.squares(sources)
    return taught("find", begun, squares.batch, lambda out, want: find_loss(out, want, weight), seconds, rate)


def teach_face(kind: str, school: School, begun: nn.Module, seconds: float, sources: tuple[str, ...] = ()) -> Any:
    """A face reader, "face" or "inks"."""
    lessons, rate = school.faces(sources), RATES[kind] * (LATER_RATE if sources else 1)
    return taught(kind, begun, lambda n: lessons.batch(n, kind == "inks"), face_loss, seconds, rate)


def teach_context(school: School, begun: nn.Module, seconds: float, sources: tuple[str, ...] = ()) -> Any:
    """The network that judges a find by its surroundings."""
    lessons, rate = school.about(sources), RATES["context"] * (0.3 if sources else 1)

    def loss_of(out: Tensor, want: tuple[Tensor, Tensor]) -> Tensor:
        picked, is_die = want
        losses = functional.binary_cross_entropy_with_logits(
            out[:, 0], SMOOTHED + (1 - 2 * SMOOTHED) * is_die, reduction="none"
        )
        lessons.learned(picked, losses.detach())
        return losses.mean()

    return taught("context", begun, lessons.batch, loss_of, seconds, rate)


def _drawn(seed: int) -> list[Sample]:
    """Some drawn scenes, dice from near among them."""
    cv2.setNumThreads(1)
    made = []
    for k in range(seed, seed + EACH):
        rng = np.random.default_rng((k, 3))
        one = close(rng, 320, 320) if rng.random() < 0.4 else scene(rng, 320, 320, None)
        jpeg = cv2.imencode(".jpg", one.picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(55, 98))])[1].tobytes()
        rows = [row_of(d.box, d.value, d.seen) for d in one.labels]
        made.append(Sample(jpeg, np.asarray(rows, np.float32).reshape(-1, 6), one.can_roll, "rendered"))
    return made


def _clutter(seed: int) -> list[Sample]:
    cv2.setNumThreads(1)
    return draw_clutter(EACH, seed)


def album_for(
    folders: Iterable[Path],
    rooms: Path,
    scenes: int,
    drawn: int,
    clutter: int,
    device: str,
    processes: int,
    **more: int,
) -> Album:
    """All pictures. The drawn and the traced ones are made here, with `processes` processes."""
    layers = max(1, processes // 2)
    with ProcessPoolExecutor(max(1, processes - layers)) as drawers, ProcessPoolExecutor(layers) as pool:
        made = [
            drawers.map(make, range(seed, seed + count, EACH))
            for make, seed, count in ((_drawn, DRAWN_SEED, drawn), (_clutter, CLUTTER_SEED, clutter))
        ]
        albums = list(traced(scenes, rooms_of(rooms), device, pool, **more))
        click.echo(f"{sum(map(len, albums))} traced scenes")
        samples = [s for folder in folders for s in load(folder)] + [s for some in made for lot in some for s in lot]
    with ThreadPoolExecutor(16) as threads:
        list(threads.map(Sample.picture, samples))
    return joined([*albums, of_samples(samples, device)])


def finds_of(finder: nn.Module, album: Album) -> Places:
    """A finder's detections in all pictures, near and far, without those that count neither as a die nor as
    background."""
    every = torch.arange(len(album), device=album.starts.device)
    finds = all_of([found(finder, album, every, scale) for scale in FIND_SCALES])
    return finds.only(finds.is_die != OPEN)


@click.command()
@click.option("--photos", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--bank", "banks", type=click.Path(path_type=Path, exists=True), multiple=True)
@click.option("--rooms", type=click.Path(path_type=Path, exists=True), required=True, help="Folder of .exr, or .npz.")
@click.option("--scenes", default=51_200, help="So many traced scenes.")
@click.option("--drawn", default=3000, help="So many drawn scenes.")
@click.option("--clutter", default=3600, help="So many drawn tables without dice.")
@click.option("--without", multiple=True, help="A source of photographs; networks that never saw it are made too.")
@click.option("--only-without", is_flag=True, help="Begin with the networks of scenes that are in -o.")
@click.option("--begin", type=click.Path(path_type=Path, exists=True), help="Folder of weights to begin with.")
@click.option("--within", default=0.0, help="All of it in so many seconds, pictures included; else as SECONDS says.")
@click.option("--device", default="cuda")
@click.option("--processes", default=15, help="That draw, and lay out scenes.")
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True)
def main(
    photos: Path, banks: tuple[Path, ...], rooms: Path, scenes: int, drawn: int, clutter: int,
    without: tuple[str, ...], only_without: bool, begin: Path | None, within: float, device: str, processes: int,
    out: Path,
) -> None:  # fmt: skip
    """Writes the weights of each network: on scenes alone, with all photographs, and without each source."""
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = True
    began = time.perf_counter()
    album = album_for([photos, *banks], rooms, scenes, drawn, clutter, device, processes)
    sources = tuple(name for name in album.sources if "/" in name)
    click.echo(f"{len(album)} pictures of {', '.join(album.sources)}, after {time.perf_counter() - began:.0f} s")
    nets: dict[str, Any] = {"find": Finder(), "face": FaceReader(CHANNELS[COLOURS]), "inks": FaceReader(CHANNELS[INKS])}
    nets = {kind: net.to(device) for kind, net in {**nets, "context": Context()}.items()}
    for kind, net in nets.items():
        if begin is not None and (begin / f"{kind}.pt").exists():
            net.load_state_dict(torch.load(begin / f"{kind}.pt", map_location=device))
    school = School(album, sources, Places(*(torch.zeros(0, device=device),) * 4))

    runs = len(without) + (0 if only_without else 1)
    each = sum(first * (not only_without) + runs * later for first, later in SECONDS.values())
    pace = (within - (time.perf_counter() - began)) / each if within else 1.0
    if pace <= 0:
        raise click.ClickException(f"The pictures took all of {within:.0f} s; give more seconds, or ask for fewer.")

    def teach(kind: str, after: str, some: tuple[str, ...] = ()) -> Any:
        seconds = pace * SECONDS[kind][int(bool(some))]
        begun = copy.deepcopy(nets[kind])
        if kind == "find":
            net = teach_find(school, begun, seconds, some)
        elif kind == "context":
            net = teach_context(school, begun, seconds, some)
        else:
            net = teach_face(kind, school, begun, seconds, some)
        torch.save(net.state_dict(), out / f"{kind}{after}.pt")
        return net

    def first(kind: str) -> None:
        if only_without:
            nets[kind].load_state_dict(torch.load(out / f"{kind}.pt", map_location=device))
        else:
            nets[kind] = teach(kind, "")

    first("find")
    school.finds = finds_of(nets["find"], album)
    is_die = school.finds.is_die == 1
    click.echo(f"{len(school.finds)} finds, {int(is_die.sum())} of them dice")
    for kind in ("face", "inks", "context"):
        first(kind)
    for name in (*(() if only_without else ("",)), *without):
        some = tuple(source for source in sources if source != name)
        for kind in nets:
            teach(kind, f"_without_{name.split('/')[0]}" if name else "_all", some)


if __name__ == "__main__":
    main()
