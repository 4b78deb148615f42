"""Whole numbers as people write them."""

MOST = 999_999


def whole_of(text: str, least: int = 0, most: int = MOST) -> int | None:
    """The number in plain digits; None if the text is not one, or the number is not from `least` to `most`.

    `str.isdigit` also accepts ``²``, which `int` refuses; `int` refuses more than 4300 digits too.

    >>> whole_of("12"), whole_of("²"), whole_of("-1"), whole_of("9" * 5000), whole_of("4", most=3)
    (12, None, None, None, None)
    >>> whole_of("4", most=4), whole_of("4", 4), whole_of("0"), whole_of("four"), whole_of("-4", -9)
    (4, 4, 0, None, None)
    """
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(most)):
        return None
    number = int(text)
    return number if least <= number <= most else None
