"""What the dice networks learn from on one device: cut-outs, targets, finds and lessons, and the mean that is kept."""

from __future__ import annotations

from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from torch import nn  # noqa: E402

from bench.train import dice_teach  # noqa: E402
from bench.train.dice_album import ABSENT, SEEN, Album, album_of, inverted, joined, seen_part  # noqa: E402
from bench.train.dice_finds import NO_DIE, OPEN, Places, between, dice_of, told  # noqa: E402
from bench.train.dice_lessons import ContextLessons, FaceLessons  # noqa: E402
from bench.train.dice_nets import Context  # noqa: E402
from bench.train.dice_squares import SIDE_PX, Squares, moved  # noqa: E402
from bench.train.dice_traced import _seen  # noqa: E402
from bench.train.dice_varied import Varied, main_axes  # noqa: E402
from bench.train.nets import export  # noqa: E402
from vision.measure.networks import Network  # noqa: E402
from vision.photo.dice.face import CROP_PX, with_inks  # noqa: E402


def album(*dice: tuple[float, ...], side: int = 200, source: str = "rooms", can_roll: bool = True) -> Album:
    """One grey picture with white dice (x, y, width, height, value, seen), a red quarter at their upper left."""
    picture = torch.full((side, side, 3), 90, dtype=torch.uint8)
    for x, y, width, height, *_ in dice:
        left, top = round(x - width / 2), round(y - height / 2)
        picture[max(0, top) : top + round(height), max(0, left) : left + round(width)] = 255
        picture[max(0, top) : round(y), max(0, left) : round(x)] = torch.tensor([255, 0, 0], dtype=torch.uint8)
    return album_of([picture], [torch.tensor(dice).reshape(-1, 6)], torch.tensor([can_roll]), source)


def seen_at(one: Album, back: list[list[float]], side: int) -> np.ndarray:
    return one.cut(torch.tensor([0]), torch.tensor([back]), side)[0].permute(1, 2, 0).numpy()


def test_what_is_cut_out_is_the_picture_and_beyond_it_its_border() -> None:
    one = album((60.0, 60.0, 40.0, 40.0, 3.0, 1.0))
    assert seen_at(one, [[1, 0, 61], [0, 1, 61]], 18) == pytest.approx(1.0)
    assert seen_at(one, [[1, 0, -50], [0, 1, -50]], 20) == pytest.approx(90 / 255)
    shrunk = seen_at(one, [[4, 0, 41.5], [0, 4, 41.5]], 10)
    assert shrunk[1:4, 1:4, 1] == pytest.approx(0.0, abs=0.02)
    assert shrunk[6:9, 6:9] == pytest.approx(1.0, abs=0.02)


def test_albums_are_joined_and_each_picture_keeps_its_dice_and_source() -> None:
    both = joined([album((60.0, 60.0, 40.0, 40.0, 3.0, 1.0)), album(source="cards", side=90)])
    assert both.of("cards").tolist() == [1]
    assert both.sizes[:, 0].tolist() == [[200, 200], [90, 90]]
    assert (both.dice[:, 0, 4] == torch.tensor([3.0, ABSENT])).all()
    assert both.cut(torch.tensor([1]), torch.tensor([[[1.0, 0, 5], [0, 1, 5]]]), 8).mean() == pytest.approx(90 / 255)


def test_squares_say_where_their_dice_are() -> None:
    one = album((100.0, 100.0, 40.0, 40.0, 5.0, 1.0))
    shown, want = Squares(one, {"rooms": 1.0}, (), 3, "cpu").batch(30)
    assert shown.shape == (30, 3, SIDE_PX, SIDE_PX)
    assert float(want[:, 6].amax((1, 2)).mean()) > 0.8
    assert set(want[:, 5].unique().tolist()) <= {-1.0, 0.0, 5.0}


def test_boxes_follow_their_turn() -> None:
    warp = torch.tensor([[[0.0, -2.0, 100.0], [2.0, 0.0, 10.0]]])
    row = moved(torch.tensor([[[20.0, 30.0, 10.0, 16.0, 1.0, 1.0]]]), warp, torch.tensor([2.0]))[0, 0]
    assert row.tolist() == pytest.approx([40, 50, 32, 20, 1, 1])
    assert torch.cat([inverted(warp), torch.tensor([[[0.0, 0, 1]]])], 1)[0] @ torch.tensor(
        [40.0, 50, 1]
    ) == pytest.approx(torch.tensor([20.0, 30, 1]))


@pytest.mark.parametrize(
    ("x", "side_px", "is_die", "face"),
    [(50, 20, 1, 3), (58, 20, OPEN, OPEN), (50, 34, OPEN, OPEN), (50, 6, 0, NO_DIE), (90, 20, 0, NO_DIE)],
)
def test_a_find_is_the_die_it_covers_and_nothing_is_said_of_one_that_nearly_does(
    x: float, side_px: float, is_die: int, face: int
) -> None:
    where = torch.tensor([[x, 50.0, side_px]])
    found = told(album((50.0, 50.0, 20.0, 20.0, 3.0, 1.0)), torch.tensor([0]), where)
    assert (found.is_die.item(), found.face.item()) == (is_die, face)
    hidden = told(album((50.0, 50.0, 20.0, 20.0, 3.0, 0.2)), torch.tensor([0]), torch.tensor([[50.0, 50.0, 20.0]]))
    assert hidden.is_die.item() == OPEN


@pytest.mark.parametrize(("x", "faces"), [(100.0, [3]), (20.0, []), (5.0, [0])])
def test_a_die_that_the_edge_cuts_off_cannot_be_told_or_teaches_nothing(x: float, faces: list[int]) -> None:
    places = dice_of(album((x, 100.0, 60.0, 60.0, 3.0, 1.0)), torch.tensor([0]))
    assert places.face.tolist() == faces


def test_of_a_die_that_the_edge_cuts_off_the_part_that_is_seen_is_meant() -> None:
    """A find lies where its seen part is: labelled by the whole outline it taught that this is no die."""
    one = album((2.0, 100.0, 60.0, 60.0, 3.0, 1.0))
    part = torch.tensor([[16.0, 100.0, (32 * 60) ** 0.5]])
    found = told(one, torch.tensor([0]), part)
    assert (found.is_die.item(), found.face.item()) == (1, 0)
    assert dice_of(one, torch.tensor([0])).where == pytest.approx(part)
    assert seen_part(one.dice[:, 0], 200, 200)[0, :4].tolist() == [16, 100, 32, 60]


def test_places_between_are_no_dice() -> None:
    one = album((100.0, 100.0, 40.0, 40.0, 5.0, 1.0))
    places = between(Varied(2, "cpu"), one, torch.zeros(200, dtype=torch.long))
    assert len(places) > 80
    assert (places.face == NO_DIE).all()
    away = (places.where[:, :2] - 100).norm(dim=1)
    assert ((away > 12) | (places.where[:, 2] < 20)).all()


def test_inks_in_training_are_those_of_the_reader_but_for_their_signs() -> None:
    crop = np.random.default_rng(4).integers(0, 255, (CROP_PX, CROP_PX, 3), dtype=np.uint8)
    crop[20:44, 20:44] = crop[20:44, 20:44] // 3 + np.array([90, 20, 60], np.uint8)
    want = with_inks(crop)
    one = album((100.0, 100.0, 40.0, 40.0, 5.0, 1.0))
    lessons = FaceLessons(one, [(1.0, dice_of(one, torch.tensor([0])))], (), 3, "cpu")
    mine = lessons._inks(torch.from_numpy(want[None, :3].copy()))[0].numpy()
    for ink, other in zip(mine, want[3:], strict=True):
        assert min(np.abs(ink - other).max(), np.abs(ink + other).max()) < 2e-3


def test_faces_are_shown_in_the_middle_and_keep_their_class() -> None:
    one = album((100.0, 100.0, 40.0, 40.0, 5.0, 1.0))
    lessons = FaceLessons(one, [(1.0, dice_of(one, torch.tensor([0])))], (), 3, "cpu")
    shown, classes = lessons.batch(40, has_inks=True)
    assert shown.shape == (40, 6, CROP_PX, CROP_PX)
    assert (classes == 5).all()
    assert (shown[:, :3].abs() <= 0.5 + 1e-3).all()


def test_dice_are_laid_on_scenes_never_on_photographs_which_may_be_left_out() -> None:
    photo, scene = album((100.0, 100.0, 40.0, 40.0, 5.0, 1.0), source="some/photos"), album()
    scene.pixels[:] = 200
    both = joined([photo, scene])
    lessons = FaceLessons(both, [(1.0, dice_of(both, both.of("some/photos")))], ("some/photos",), 3, "cpu")
    moved = lessons._on_other_ground(torch.full((50, 3, CROP_PX, CROP_PX), 0.5), torch.ones(50))
    assert moved[:, :, 0, 0] == pytest.approx(200 / 255, abs=0.01)
    assert moved[:, :, CROP_PX // 2, CROP_PX // 2] == pytest.approx(0.5)


def test_main_axes_are_eigenvectors() -> None:
    some = torch.randn(50, 3, 3, generator=torch.Generator().manual_seed(1))
    spread = some @ some.transpose(1, 2)
    values, axes = main_axes(spread)
    assert values == pytest.approx(torch.linalg.eigvalsh(spread).flip(1), abs=1e-4)
    assert spread @ axes == pytest.approx(axes * values[:, None], abs=1e-4)


def finds(many: int) -> Places:
    where = torch.tensor([[100.0, 100.0, 40.0]]).expand(many, 3)
    return Places(torch.zeros(many, dtype=torch.long), where, torch.ones(many, dtype=torch.long), torch.zeros(many))


def test_both_crops_of_a_find_are_turned_alike() -> None:
    one = album((100.0, 100.0, 40.0, 40.0, 5.0, 1.0))
    lessons = ContextLessons(one, [(1.0, finds(1))], 5, "cpu")
    lessons.RECOLORED = lessons.COARSE = 0.0
    shown, (_, is_die) = lessons.batch(40)
    assert (is_die == 1).all()
    ways = []
    for some in shown.split(3, 1):
        red = (some[:, 0] - some[:, 2]).clamp(min=0)
        at = torch.arange(CROP_PX) - (CROP_PX - 1) / 2
        x, y = ((red.sum(side) * at).sum(1) / red.sum((1, 2)) for side in (1, 2))
        ways.append(torch.atan2(y, x))
    off = torch.remainder(ways[0] - ways[1] + np.pi, 2 * np.pi) - np.pi
    assert off.abs().max() < 0.35
    assert ways[0].std() > 1.0


def test_what_was_got_wrong_is_shown_more_often() -> None:
    one = album((100.0, 100.0, 40.0, 40.0, 5.0, 1.0))
    lessons = ContextLessons(one, [(1.0, finds(2))], 5, "cpu")
    for _ in range(20):
        lessons.learned(torch.tensor([0, 1]), torch.tensor([3.0, 0.0]))
    _, (picked, _) = lessons.batch(200)
    assert 0.85 < float((picked == 0).float().mean()) < 1


def test_changes_of_light_and_camera_keep_pictures_pictures() -> None:
    varied, shown = Varied(5, "cpu"), torch.rand(60, 3, 64, 64, generator=torch.Generator().manual_seed(2))
    for changed in (varied.lit, varied.dyed, varied.taken):
        after = changed(shown)
        assert after.shape == shown.shape
        assert after.min() >= 0
        assert after.max() <= 1 + 1e-3
        assert (after - shown).abs().mean() > 0.01
    smooth = torch.linspace(0.2, 0.8, 64).expand(4, 3, 64, 64)
    assert (varied._compressed(smooth) - smooth).abs().mean() < 0.03


def test_how_much_of_a_die_is_seen_is_told_by_what_hides_it() -> None:
    every, first = torch.zeros(1, 8, 8, dtype=torch.int32), torch.full((1, 8, 8), 255, dtype=torch.uint8)
    every[0, 2:6, 2:6] |= 1 << 3
    first[0, 2:6, 2:5] = 3
    rows = _seen([np.array([[3, 4, 4, 4, 4, 6, 0]], np.float32)], first, every)
    assert rows[0][0, SEEN] == pytest.approx(0.75)


def test_the_mean_of_the_weights_forgets_the_untaught_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look at the clock is a second here, so the batches are counted and not timed."""
    monkeypatch.setattr(dice_teach, "time", SimpleNamespace(perf_counter=partial(next, count())))
    net = nn.Conv2d(1, 1, 1)
    with torch.no_grad():
        net.weight.fill_(50.0)

    def batch(many: int) -> tuple[torch.Tensor, torch.Tensor]:
        x = torch.randn(min(many, 64), 1, 1, 1)
        return x, 2 * x

    mean = dice_teach.taught("face", net, batch, lambda out, want: (out - want).abs().mean(), 900.0, 0.5)
    assert mean.weight.item() == pytest.approx(2.0, abs=0.3)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_network_in_bytes_says_what_it_says_in_halves_and_is_half_as_large(tmp_path: Path) -> None:
    torch.manual_seed(1)
    net, size = Context(), (6, CROP_PX, CROP_PX)
    for bits in (8, 16):
        export(net, size, tmp_path / f"{bits}.onnx", bits=bits)
    shown = np.random.default_rng(6).random((20, *size), np.float32) - 0.5
    in_bytes, in_halves = (Network(tmp_path / f"{bits}.onnx")(shown)[:, 0] for bits in (8, 16))
    assert np.abs(in_bytes - in_halves).max() < 0.1 * in_halves.std() + 0.01
    assert (tmp_path / "8.onnx").stat().st_size < 0.55 * (tmp_path / "16.onnx").stat().st_size
