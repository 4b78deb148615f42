"""Several readings of a table at rest become one, and what they disagree on is doubted."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.game.margin import Call, Margin
from companion.game.readings import SURE, EyesReading, Hideout, Kind, Overlap, Piece, RestsOn, TableFit
from vision.tables.eyes.reader import fused


def piece(kind: Kind, id: str, x_mm: float = 0.0, color: str | None = "red", **told: object) -> Piece:
    square = ((x_mm - 5, -5.0), (x_mm + 5, -5.0), (x_mm + 5, 5.0), (x_mm - 5, 5.0))
    return replace(
        Piece(id=id, kind=kind, color=color, x_mm=x_mm, y_mm=0.0, angle_deg=None, footprint_mm=square), **told
    )


LAND = piece(Kind.TERRITORY, "territory_red")
SAMURAI = piece(Kind.SAMURAI, "samurai_red_1", 100)
NINJA = piece(Kind.NINJA, "ninja_1", 200, "black", value=4)
DIE = piece(Kind.EMPIRE_DIE, "empire_die_red_1", 300, marked_up=True)
ALL = (LAND, SAMURAI, NINJA, DIE)


def seen(*pieces: Piece, margin: Margin | None = None, rests: tuple[RestsOn, ...] = ()) -> EyesReading:
    overlaps = () if margin is None else (Overlap.of("samurai_red_1", "territory_red", margin),)
    return EyesReading(table=TableFit(reprojection_px=0.1), pieces=pieces, overlaps=overlaps, rests_on=rests)


def test_the_same_seen_twice_is_what_was_seen() -> None:
    rests = (RestsOn(piece="samurai_red_1", on="territory_red", confidence=0.9),)
    once = seen(*ALL, margin=Margin(margin_mm=1.0, sigma_mm=0.2), rests=rests)
    both = fused([once, once])
    assert both.reading == once
    assert both.agree


@pytest.mark.parametrize(
    ("piece_seen", "other", "value", "marked_up", "color", "is_sure"),
    [
        (NINJA, replace(NINJA, value=5), None, None, "black", False),
        (NINJA, replace(NINJA, value=None, reason="glare"), 4, None, "black", False),
        (DIE, replace(DIE, marked_up=False), None, None, "red", False),
        (DIE, replace(DIE, marked_up=None, reason="glare"), None, None, "red", False),
        (DIE, replace(DIE, color="blue"), None, True, None, False),
        # whose a die is was not seen in one picture, and then players were asked for the eye that both showed
        (DIE, replace(DIE, color=None, reason="no eye in view"), None, True, "red", True),
    ],
)
def test_faces_that_differ_are_doubted(
    piece_seen: Piece, other: Piece, value: int | None, marked_up: bool | None, color: str | None, is_sure: bool
) -> None:
    both = fused([seen(piece_seen), seen(other)])
    (told,) = both.reading.pieces
    assert (told.value, told.marked_up, told.color) == (value, marked_up, color)
    assert (told.confidence >= SURE) is is_sure
    assert not both.agree


def test_a_piece_that_one_of_two_shows_is_kept_in_doubt() -> None:
    with_it, without = seen(LAND, DIE), seen(LAND)
    for pictures in ([with_it, without], [without, with_it]):
        told = {p.id: p for p in fused(pictures).reading.pieces}
        assert set(told) == {"territory_red", "empire_die_red_1"}
        assert told["empire_die_red_1"].confidence < SURE <= told["territory_red"].confidence
        assert not fused(pictures).agree


def test_the_margin_of_a_piece_that_a_picture_does_not_show_is_too_close() -> None:
    far = Margin(margin_mm=-9.0, sigma_mm=0.1)
    (told,) = fused([seen(LAND, SAMURAI, margin=far), seen(LAND)]).reading.overlaps
    assert told.ruling is Call.TOO_CLOSE
    (told,) = fused([seen(LAND, SAMURAI, margin=far), seen(LAND, SAMURAI)]).reading.overlaps
    assert told.ruling is Call.CLEAR


def test_pieces_are_matched_by_place_and_not_by_name_and_names_stay_different() -> None:
    here, there = piece(Kind.SAMURAI, "samurai_red_1", 100), piece(Kind.SAMURAI, "samurai_red_1", 200)
    told = fused([seen(here), seen(there)]).reading.pieces
    assert [(p.id, p.x_mm) for p in told] == [("samurai_red_1", 200), ("samurai_red_2", 100)]
    four = [piece(Kind.SAMURAI, f"samurai_red_{n}", 100.0 * n) for n in range(1, 5)]
    last = [replace(four[2], id="samurai_red_1"), replace(four[3], id="samurai_red_2")]
    names = [p.id for p in fused([seen(*four), seen(*four), seen(*last)]).reading.pieces]
    assert len(set(names)) == 4
    near = replace(here, id="samurai_red_2", x_mm=101.0)
    (one,) = fused([seen(here), seen(near)]).reading.pieces
    assert (one.id, one.x_mm) == ("samurai_red_2", 101.0)


@given(
    st.lists(
        st.tuples(st.floats(-20, 20), st.floats(0.01, 2)).map(lambda m: Margin(margin_mm=m[0], sigma_mm=m[1])),
        min_size=1,
        max_size=4,
    )
)
def test_several_pictures_never_make_the_error_smaller_than_the_best_of_them(margins: list[Margin]) -> None:
    (told,) = fused([seen(LAND, SAMURAI, margin=margin) for margin in margins]).reading.overlaps
    assert told.sigma_mm >= min(m.sigma_mm for m in margins) - 0.001
    assert min(m.margin_mm for m in margins) - 0.001 <= told.margin_mm <= max(m.margin_mm for m in margins) + 0.001


def test_a_place_where_a_die_could_hide_is_told_where_one_picture_tells_it() -> None:
    told = replace(seen(*ALL), hideouts=(Hideout(kind=Kind.EMPIRE_DIE, x_mm=100, y_mm=0, behind=("samurai_red_1",)),))
    none = replace(seen(*ALL), hideouts=())
    for readings in ([told, none], [none, told]):
        assert fused(readings).reading.hideouts == told.hideouts
    assert fused([none, none]).reading.hideouts == ()
    assert fused([seen(*ALL), none]).reading.hideouts is None
