"""The pieces that one throw may add to the valley: one of each emperor (Instructions 7, 8, 10). All else is asked."""

from __future__ import annotations

from companion.game.readings import Kind
from companion.game.says import Says
from companion.game.values import Choice, Doubt
from companion.games.eyes_of_the_emperor.conserved import Stock, new_of, stocks
from companion.games.eyes_of_the_emperor.house import cite
from companion.games.eyes_of_the_emperor.rules import RULE_PHASE_I, RULE_PHASE_II
from companion.games.eyes_of_the_emperor.scene import SEATS, Scene, kind_of
from companion.games.eyes_of_the_emperor.state import Action, Phase, State, ThrowSettled

RULE_BOTH_THROW = cite("Instructions 7")
JUDGE, MEND = "record", "nothing"
"""The two answers: the table is judged as it is, or people put it right and press again."""


def doubted(state: State, action: ThrowSettled) -> Doubt[Action] | None:
    """The question about a look that one throw cannot explain; else None."""
    before = stocks(state)
    for stock in before:
        new = new_of(stock, action.scene)
        if len(new) > stock.thrown:
            return _asked(action, f"too_many:{stock.color or stock.kind.value}", *_too_many(stock, len(new)), new)
    if state.scene is None:  # before the first throw the table is only looked at
        return None
    for stock in before:
        if stock.kind is Kind.SAMURAI and stock.thrown and not _may_be_there(stock, action.scene):
            says = Says(
                "No new {seat} samurai lies in the valley. Was it thrown, and did it leave?",
                {"seat": stock.color or ""},
            )
            return _asked(action, f"none_new:{stock.color}", says, RULE_PHASE_II)
    is_anybody_in_iii = any(state.emperor(seat).phase is Phase.III for seat in SEATS)
    if before and not is_anybody_in_iii and not any(_may_be_there(stock, action.scene) for stock in before):
        says = Says("Nothing new lies in the valley. Did both throw, and did both pieces leave?")
        return _asked(action, "none_new", says, RULE_BOTH_THROW)
    return None


def _may_be_there(stock: Stock, scene: Scene) -> bool:
    """Whether a thrown piece of a stock is in the valley: seen, or perhaps hidden."""
    hidden = [
        name
        for name in scene.unseen
        if kind_of(name) is stock.kind and name.startswith(stock.color or "") and name not in stock.lay
    ]
    return bool(new_of(stock, scene) or hidden)


def _too_many(stock: Stock, count: int) -> tuple[Says, str]:
    values = {"count": count, "seat": stock.color or "", "most": stock.thrown}
    if stock.kind is Kind.NINJA:
        words = "New ninjas in the valley: {count}. A throw has {most}. Was it so?"
        return Says(words, values), RULE_PHASE_I
    words = "New samurai of {seat} in the valley: {count}. A throw has {most}. Was it so?"
    return Says(words, values), RULE_PHASE_II


def _asked(action: ThrowSettled, key: str, says: Says, rule: str, pieces: tuple[str, ...] = ()) -> Doubt[Action]:
    choices: tuple[Choice[Action], ...] = (
        Choice(JUDGE, Says("Yes, judge it as it lies"), action),
        Choice(MEND, Says("No: put the table right, then press again")),
    )
    return Doubt(key, says, choices, rule, pieces=pieces)
