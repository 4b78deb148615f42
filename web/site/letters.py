"""Fonts of printed papers: with most of the world's alphabets if the system has DejaVu."""

import unicodedata
from functools import cache
from pathlib import Path

import reportlab
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

SYSTEM_FONTS = Path("/usr/share/fonts/truetype/dejavu")
"""Folder of Debian's DejaVu, with most of the world's alphabets and the card suits. Otherwise reportlab's Vera is used,
with Western Europe's letters."""
TYPED = dict(zip("♠♥♦♣", "SHDC", strict=True))
"""Typed letters of the suits, for a font without them."""
UNSEEN = str.maketrans("", "", "\u2068\u2069")
"""Unicode marks for text direction, removed from printed pages: fonts draw them as a box."""


@cache
def font(name: str) -> TTFont:
    """``plain`` or ``bold``, registered; canvases refer to it by its `fontName`."""
    wide = SYSTEM_FONTS / {"plain": "DejaVuSans.ttf", "bold": "DejaVuSans-Bold.ttf"}[name]
    own = Path(reportlab.__file__).parent / "fonts" / {"plain": "Vera.ttf", "bold": "VeraBd.ttf"}[name]
    made = TTFont(f"companion-{name}", str(wide if wide.is_file() else own))
    pdfmetrics.registerFont(made)
    return made


def drawn(text: str, used: TTFont) -> str:
    """A text in letters that the font has: an unknown letter loses its accent, or becomes a box.

    >>> drawn("Zo\u00eb\u2069 \u9f8d", font("plain"))
    'Zo\u00eb □'
    """
    has = used.face.charToGlyph
    out = []
    for letter in text.translate(UNSEEN):
        bare = TYPED.get(letter, unicodedata.normalize("NFKD", letter)[:1])
        out.append(letter if ord(letter) in has else bare if bare and ord(bare) in has else "□")
    return "".join(out)
