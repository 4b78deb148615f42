"""How plain our English is: the share of texts that hold a phrase which readers found hard.

    python -m tests.plain_english [FOLDER ...] [--list]

A text is a docstring, a constant's note, a comment, a sentence on a page or a paragraph of the docs. A hit is a place
to rewrite. A text without hits may still be hard: let somebody read it.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from web.words.collect import english

ROOT = Path(__file__).resolve().parents[1]
MAX_SENTENCE_WORDS = 32
MIN_COMMENT_LETTERS = 12
EXEMPT = ("tests/", "docs/decisions.md", "LICENSE", "CHANGELOG.md")
"""Not read: tests, and pages that keep the words of their day."""

COMMENT = re.compile(r"""\A(?:[^#'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*(#.*)""")
"""A line that ends in a comment; a # within quotes begins none."""
PATTERNS = {
    "'so many' for a number named elsewhere": (
        r"\b[Ss]o (many|much|long|often|far|wide|near|large|high|sure|small|few|little|likely|warm|bright|dark|broad)\b"
        r"(?![^.;:]*\bthat\b)"
    ),
    "begins with What, Whose, Of, Nor or So": r"\A\W*(What|Whatever|Whose|Whoever|Of|Nor|So)\b(?![^.]*\?)",
    "of which, to which, by which": r"\b(of|to|by|from|with|on|beside) which\b",
    "an old word": (
        r"\b(anew|mend(s|ed|ing)?|lest|whence|whither|hither|nought|aught|there(by|in|of|on|to)|where(by|in|of))\b"
    ),
    "told for reported, detected or known": r"\b(is|are|be|was|were|been|gets?) told\b|\btold (as|to be|from|apart)\b",
    "lies for is": r"\b(lies|lain)\b",
    "is no, for is not a": r"\b(is|are|was|were) no (?!longer|more|less|use|need)[a-z]+",
    "bear out": r"\bb(ear|ears|orne)( it| them)? out\b|\bborne\b",
    "beside, for next to or compared with": r"\bbeside\b",
    "likelier, surer": r"\b(likelier|likeliest|surer|surest|weightiest)\b",
    "at rest, passed over, taken for": r"\b(at rest|l(ies|ie) still|pass(ed)? over|gone on with|taken for)\b",
    "one that ... which ...": r"\b(one|those|such) (that|which|of)\b[^.]*\b(that|which|what)\b",
}
LONG = f"a sentence of more than {MAX_SENTENCE_WORDS} words"


@dataclass(frozen=True, slots=True)
class Text:
    """One text and where it stands."""

    file: str
    line: int
    words: str

    @property
    def hits(self) -> tuple[str, ...]:
        """The names of the patterns found in it.

        >>> Text("a.py", 1, "What a find is taken for").hits
        ('begins with What, Whose, Of, Nor or So', 'at rest, passed over, taken for')
        >>> Text("a.py", 1, "Minimum probability to accept a die").hits
        ()
        """
        found = [name for name, pattern in PATTERNS.items() if re.search(pattern, self.words)]
        sentences = re.split(r"(?<=[.:;!?])\s", self.words)
        long = any(len(sentence.split()) > MAX_SENTENCE_WORDS for sentence in sentences)
        return (*found, LONG) if long else tuple(found)


def parts_of(node: ast.AST) -> Iterator[ast.AST]:
    """The statements directly in a module or statement: ten times as quick to go through as all nodes."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        parts = getattr(node, name, ())
        yield from parts if isinstance(parts, list) else ()


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """A module's node, and every statement in it."""
    yield node
    for inner in parts_of(node):
        yield from statements(inner)


def comments(source: str) -> Iterator[tuple[int, str]]:
    """The line and words of each comment. What stands between three quotes is passed over.

    >>> list(comments('a = "#fff"  # white'))
    [(1, '# white')]
    """
    is_string = False
    for line, text in enumerate(source.splitlines(), 1):
        if not is_string and "#" in text and (found := COMMENT.match(text)):
            yield line, found[1]
        is_string ^= text.count('"""') % 2 == 1


def texts_of_python(file: str, source: str) -> Iterator[Text]:
    """Docstrings without their examples, notes below constants, and comments."""
    for node in statements(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if said := ast.get_docstring(node):
                yield Text(file, getattr(node, "lineno", 1), said.split(">>>")[0])
            for inner in node.body[1:]:
                match inner:
                    case ast.Expr(value=ast.Constant(value=str() as note)):
                        yield Text(file, inner.lineno, note)
    for line, comment in comments(source):
        if len(comment) > MIN_COMMENT_LETTERS and not re.match(r"# (type|noqa|shellcheck|ruff|mypy)", comment):
            yield Text(file, line, comment.lstrip("# "))


def texts_of_markdown(file: str, source: str) -> Iterator[Text]:
    """Paragraphs; tables and code are left out."""
    line = 1
    for block in source.split("\n\n"):
        if block.strip() and not block.lstrip("\n").startswith(("|", "```", "    ")):
            yield Text(file, line, block)
        line += block.count("\n") + 2


def texts_of_pages() -> Iterator[Text]:
    """The sentences that people read, as the catalogues hold them."""
    for template in sorted(frozenset().union(*english().values())):
        yield Text("pages", 0, template)


def texts() -> Iterator[Text]:
    """Every text of the project."""
    listed = subprocess.run(["git", "ls-files", "*.py", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    for file in listed.stdout.splitlines():
        if not file.startswith(EXEMPT) and "RULES" not in file and (ROOT / file).is_file():
            source = (ROOT / file).read_text(encoding="utf-8")
            yield from (texts_of_python if file.endswith(".py") else texts_of_markdown)(file, source)
    yield from texts_of_pages()


def package_of(text: Text) -> str:
    """The top folder of a text's file, or the file itself."""
    return text.file.split("/")[0]


def hard_share() -> dict[str, tuple[int, int]]:
    """Per package: texts with a hit, and all texts."""
    every, hard = Counter[str](), Counter[str]()
    for text in texts():
        every[package_of(text)] += 1
        hard[package_of(text)] += bool(text.hits)
    return {package: (hard[package], count) for package, count in sorted(every.items())}


def main(given: list[str]) -> None:
    """Prints the share per package, and with ``--list`` each hit below the given folders."""
    folders = tuple(word for word in given if not word.startswith("--"))
    if "--list" in given:
        for text in texts():
            if text.hits and text.file.startswith(folders or ("",)):
                print(f"{text.file}:{text.line}: {' '.join(text.words.split())[:150]}  [{text.hits[0]}]")
    shares = hard_share()
    for package, (hard, count) in shares.items():
        print(f"{hard:5d} of {count:5d}  {package}")
    hard, count = (sum(column) for column in zip(*shares.values(), strict=True))
    print(f"{hard} of {count} texts, {100 * hard / count:.1f} %")


if __name__ == "__main__":
    main(sys.argv[1:])
