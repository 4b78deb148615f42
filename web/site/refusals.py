"""Every refusal is one sentence: what was found, what was expected, what to do."""

from urllib.parse import urlsplit

from flask import Response, jsonify, render_template, request
from werkzeug.exceptions import HTTPException

from companion.game.says import Says
from companion.game.view import MatchView
from web.words import said_in, translate

FOR_SCRIPTS = ("/api/", "/do", "/state", "/events", "/evidence/", "/live.jpg", "/table/")
"""Paths that only programs and our own scripts ask for. They and what scripts post answer with JSON, all others with a
page."""

SENTENCES = {
    404: Says("There is nothing at this address: go back to the first page."),
    413: Says("Too much was sent at once: send less."),
}
ELSE = Says("This could not be done. Load the page again.")


def ended(words: str) -> str:
    """A sentence with a full stop, unless it has an end mark.

    >>> ended("answer first: does it overlap?"), ended("the match is over")
    ('answer first: does it overlap?', 'the match is over.')
    """
    return words if words.endswith(("?", ".")) else f"{words}."


class Refusal(Exception):
    """A refused request. `status` is HTTP's, `code` a word a script can test.

    `says` is a sentence of ours, or a text from elsewhere that is shown unchanged. `of` is the match at the time of the
    refusal: a page keeps the sentence until it gets a newer view than that.
    """

    def __init__(
        self, status: int, code: str, says: Says | str, retry_after_s: int | None = None, of: MatchView | None = None
    ) -> None:
        super().__init__(str(says))
        self.of = of
        self.status = status
        self.code = code
        self.says = says if isinstance(says, Says) else Says("{sentence}", {"sentence": says})
        self.retry_after_s = retry_after_s

    @property
    def message(self) -> str:
        """The sentence in the language of the refused phone, with the players' names."""
        from web.site.languages import asked  # late import: that module refuses too

        return ended(translate(self.says, asked(), None if self.of is None else said_in(self.of)))

    def response(self, page: str = "refusal.html") -> Response:
        """JSON for programs and scripts, a page for a person."""
        is_posted_by_script = request.method == "POST" and "text/html" not in request.headers.get("Accept", "")
        if request.path.startswith(FOR_SCRIPTS) or request.path.endswith(".json") or is_posted_by_script:
            stood = {} if self.of is None else {"match": self.of.match, "seq": self.of.seq}
            answer = jsonify(error={"code": self.code, "message": self.message, **stood})
        else:
            came_from = urlsplit(request.referrer or "")
            back = came_from.path if came_from.netloc == request.host and request.method == "POST" else None
            html = render_template(page, message=self.message, status=self.status, back=back)
            answer = Response(html, mimetype="text/html")
        answer.status_code = self.status
        if self.retry_after_s is not None:
            answer.headers["Retry-After"] = str(self.retry_after_s)
        return answer


def of_http(error: HTTPException) -> Refusal:
    """Flask's own errors in our words."""
    status = error.code or 500
    return Refusal(status, error.name.lower().replace(" ", "_"), SENTENCES.get(status, ELSE))
