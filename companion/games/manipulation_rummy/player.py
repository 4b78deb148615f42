"""Manipulation Rummy: cards are dealt in secret, drawn by taps, and laid on the mat in fans. At the end hands are laid
out."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

from companion.game.cards import JOKER, PACK, in_hand
from companion.games.manipulation_rummy.hands import known_to
from companion.games.manipulation_rummy.hints import best_play
from companion.games.manipulation_rummy.house import KNOCK_POINTS, points_of
from companion.games.manipulation_rummy.melds import meanings, same_table, table_text
from companion.games.manipulation_rummy.state import Dealt, Drew, Ended, Knocked, Melded, Phase, Shown, clean_hand

THINK_MS = 60.0
TELLS_AFTER = 3
"""Presses after which people enter by tapping whatever the camera does not read."""
LOOKS = 8
"""Frames in which the camera sees the mat before the next round, or put right."""
STEP_MM, GAP_MM, CARD_MM = 25.0, 34.0, (63.0, 88.0)
FIRST_MM, ROW_MM = (60.0, 52.0), 98.0
HANDS_MM = (60.0, 558.0)
"""Place of the laid-out hands after a round."""


@dataclass(slots=True)
class Fan:
    """The cards of one meld or self._at.hand, with their ids on the table and the fan's rotation."""

    cards: tuple[str, ...] = ()
    ids: list[str] = field(default_factory=list)
    turned_deg: float = 0.0


class RummyPlayer:
    def __init__(self, at: Any) -> None:
        self._at = at
        self._game = self._at.game
        self._hands: dict[str, list[str]] = {}
        self._stock: list[str] = []
        self._shown: dict[str, tuple[str, ...]] = {}
        self._fans: dict[tuple[float, float], Fan] = {}
        """The fans on the table, by place."""
        self._deal(at.state)

    @property
    def troubles(self) -> tuple[Any, ...]:
        return (self._at.hand, self._at.dim_light, self._at.bump, self.no_meld, self.card_turned_over)

    def is_same(self, state: Any, expected: Any) -> bool:
        """Whether a state is the expected one, with its melds in any order and its jokers as they were said or open."""
        if replace(state, table=()) != replace(expected, table=()):
            return False
        return any(same_table(meant, expected.table) for meant in meanings(state.table, state.house))

    def entered(self, state: Any, expected: Any) -> Any:
        """The state to continue from: people heard what each joker stands for."""
        return expected

    def next(self, state: Any) -> Sequence[Any]:
        seat = state.turn
        match state.phase:
            case Phase.DEAL:
                return (Dealt(),)
            case Phase.SHOW:
                seat = self._game.rules.to_move(state)[0]
                return (Shown(seat, tuple(self._hands[seat])),)
            case Phase.END:
                return (Knocked(seat) if self._may_knock(state, seat) else Ended(seat),)
        actions: list[Any] = []
        while state.phase in (Phase.DRAW, Phase.PLAY):
            melds = self._best(state, seat) if state.phase is Phase.PLAY else None
            if melds is None and (state.phase is Phase.DRAW or (state.stock and state.exhausted_by is None)):
                self._hands[seat].append(self._stock.pop())
                actions.append(Drew(seat))
            elif melds is None:
                actions.append(Knocked(seat) if self._may_knock(state, seat) else Ended(seat))
            else:
                self._hands[seat] = list((Counter(self._hands[seat]) - Counter(melds.laid)).elements())
                actions.append(melds)
            state = self._game.rules.apply(state, actions[-1]).state
            if not isinstance(actions[-1], Drew):
                break
        return actions

    def _best(self, state: Any, seat: str) -> Any:
        known = known_to(state, seat, clean_hand(tuple(self._hands[seat])))
        best, table = best_play(known, seat, THINK_MS)
        return Melded(seat, table, best.laid) if best.laid else None

    def _may_knock(self, state: Any, seat: str) -> bool:
        return points_of(self._hands[seat], state.house) <= KNOCK_POINTS

    def perform(self, state: Any, action: Any) -> None:
        match action:
            case Melded(table=table):
                self._lay(table, is_anew=False)
            case Shown(seat=seat, cards=cards):
                self._shown[seat] = cards
                self._lay(state.table, is_anew=False)
            case Dealt():
                self._shown = {}
                self._lay(())
                self._look()
                self._tap(self._game.rules.to_move(state)[0], action)
                self._deal(self._game.rules.apply(state, action).state)
            case _:
                self._tap(action.seat, action)

    def lay_again(self, state: Any, action: Any, times: int) -> None:
        """Lays the cards again. After `TELLS_AFTER` presses the player enters them by tapping."""
        if times < TELLS_AFTER or not isinstance(action, Melded | Shown):
            self._lay(action.table if isinstance(action, Melded) else state.table)
            return
        told = {"table": table_text(action.table)} if isinstance(action, Melded) else {"cards": " ".join(action.cards)}
        verb = "melds" if isinstance(action, Melded) else "shows"
        self._at.tap(action.seat, f"{action.seat} {verb} ...", told)

    def _look(self) -> None:
        for _ in range(LOOKS):
            self._at.look()

    def _tap(self, seat: str, action: Any) -> None:
        self._at.tap(seat, self._game.text.action(action))

    def _deal(self, state: Any) -> None:
        self._stock = [*PACK, JOKER] * state.packs
        self._at.random.shuffle(self._stock)
        self._hands = {seat: [self._stock.pop() for _ in range(state.hand(seat).size)] for seat in state.seats}

    def _lay(self, table: Sequence[Sequence[str]], *, is_anew: bool = True) -> None:
        """Lays melds as fans, in rows, and hands below. `is_anew` moves cards already in place too."""
        placed = self._places(FIRST_MM, table) | self._places(HANDS_MM, self._shown.values())
        for place, fan in self._fans.items():
            wanted = () if is_anew else placed.get(place, ())
            stay = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(fan.cards, wanted, strict=False))))
            for id in fan.ids[stay:]:
                self._at.table.remove(id)
            fan.cards, fan.ids = fan.cards[:stay], fan.ids[:stay]
        self._fans = {place: self._fanned(place, cards) for place, cards in placed.items()}

    def _places(
        self, first_mm: tuple[float, float], fans: Iterable[Sequence[str]]
    ) -> dict[tuple[float, float], tuple[str, ...]]:
        """Fans side by side in rows, by the place of their first card."""
        placed: dict[tuple[float, float], tuple[str, ...]] = {}
        (x, y), most = first_mm, self._at.table.kit.mat.width_mm - CARD_MM[0]
        for cards in fans:
            if x + STEP_MM * (len(cards) - 1) > most:
                x, y = first_mm[0], y + ROW_MM
            placed[x, y] = tuple(cards)
            x += STEP_MM * (len(cards) - 1) + CARD_MM[0] + GAP_MM
        return placed

    def _fanned(self, place: tuple[float, float], cards: tuple[str, ...]) -> Fan:
        spread = self._at.random.gauss
        fan = self._fans.get(place) or Fan()
        if not fan.cards:
            fan.turned_deg = spread(0, 1.5)
        for i in range(len(fan.cards), len(cards)):
            x, y = place[0] + STEP_MM * i + spread(0, 0.8), place[1] + spread(0, 0.8)
            id = self._at.table.deal(x, y, in_hand(cards[i]))
            self._at.table.turn(id, fan.turned_deg + spread(0, 0.6))
            fan.ids.append(id)
        fan.cards = cards
        return fan

    # --- what goes wrong -------------------------------------------------------------------------------------

    def no_meld(self, state: Any, actions: Sequence[Any]) -> bool:
        """Somebody lays two cards that make no meld, and takes them back."""
        if state.phase not in (Phase.DRAW, Phase.PLAY, Phase.END) or not self._stock:
            return bool(self._at.bump(state, actions))
        self._lay((*state.table, tuple(self._stock[:2])))
        return self._asked(lambda: self._lay(state.table))

    def card_turned_over(self, state: Any, actions: Sequence[Any]) -> bool:
        """A card of the table is turned face down."""
        ids = [id for fan in self._fans.values() for id in fan.ids]
        if not ids:
            return bool(self._at.bump(state, actions))
        self._at.table.flip(self._at.random.choice(ids))
        return self._asked(lambda: self._lay(state.table))

    def _asked(self, mend: Callable[[], None]) -> bool:
        """Presses while the table is wrong, repairs it, then answers. Returns whether the match noticed."""
        view = self._at.press()
        is_noticed = view.question is not None or view.refused is not None
        mend()
        self._look()
        if view.question is not None:
            self._at.played.questions += 1
            keys = [choice.key for choice in view.question.choices]
            nothing = next((key for key in keys if key in ("put_back", "look_again")), None)
            if nothing is not None:
                self._at.answers(nothing)
        return is_noticed
