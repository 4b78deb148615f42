"""House rules in words: the name of each choice, and the rules of a match that differ from the sheet."""

from companion.game.known import game_named
from companion.game.says import Says, listed
from companion.game.view import MatchView
from web.words import said_in, translate

CHOICES = {
    "true": Says("yes"),
    "false": Says("no"),
    "together": Says("at the same time"),
    "ever": Says("also one after the other"),
    "any": Says("any number"),
    "four": Says("each alone"),
    "partners": Says("two pairs"),
    "rygb": Says("by the number of players"),
    "two": Says("two players, two colours each"),
    "while_there": Says("as long as the attacker is there"),
    "next_turn": Says("in the next turn only"),
    "capture_no_shortcut": Says("the piece there goes back, no short cut"),
    "capture_shortcut": Says("the piece there goes back, with the short cut"),
    "beginner": Says("beginners"),
    "intermediate": Says("intermediate"),
    "expert": Says("experts: a tournament"),
    "solo": Says("solo: build freely"),
    "rounds": Says("points each round"),
    "total": Says("a running total"),
    "victory": Says("victory points: the first with ten"),
    "five_dice": Says("five dice, thirteen lines"),
    "press_your_luck": Says("press your luck with six dice"),
    "tricks": Says("bids and tricks"),
    "darts": Says("darts: down from 501"),
    "rummy": Says("rummy hands: the first with 150"),
    "suspend": Says("notches: the fewest win"),
    "race": Says("only who won"),
    "highest": Says("the most points"),
    "lowest": Says("the fewest points"),
    "": Says("as usual"),
}
"""The displayed names of the house rules' choices."""
COLORS = {"r": Says("red"), "y": Says("yellow"), "g": Says("green"), "b": Says("blue")}


def called(choice: str) -> Says:
    """A choice of a house rule as people read it.

    >>> str(called("ry")), str(called("J:10,Q:10")), str(called("7"))
    ('red and yellow', 'J 10 and Q 10', '7')
    """
    if choice in CHOICES:
        return CHOICES[choice]
    if choice and set(choice) <= COLORS.keys():
        return listed([COLORS[letter] for letter in choice])
    if ":" in choice:
        pairs = [part.partition(":") for part in choice.split(",")]
        return listed([Says("{one} {n}", {"one": one, "n": n}) for one, _, n in pairs])
    return Says("{one}", {"one": choice})


def in_force(view: MatchView, lang: str) -> list[tuple[str, str]]:
    """The house rules of a match that differ from the sheet, each as its question and its answer."""
    if not view.house_rules:
        return []
    said, options = said_in(view), {option.key: option for option in game_named(view.game).options}
    return [
        (translate(options[key].says, lang, said), translate(called(choice), lang, said))
        for key, choice in view.house_rules.items()
    ]
