"""What phones ask to see whether a network leads to the internet, answered so that they stay in the table's own.

An access point without internet is left by many phones at once. Where the box is the name server (its own access
point), the probes' names lead here, and each maker's own answer is given. Nothing else is answered under such a name.
Source: the makers' public descriptions of their connectivity checks.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, request

from web.phones import hostname

SUCCESS = "<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"
PROBES: dict[str, dict[str, tuple[int, str]]] = {
    "connectivitycheck.gstatic.com": {"/generate_204": (204, "")},
    "connectivitycheck.android.com": {"/generate_204": (204, "")},
    "clients3.google.com": {"/generate_204": (204, "")},
    "www.gstatic.com": {"/generate_204": (204, "")},
    "captive.apple.com": {"/hotspot-detect.html": (200, SUCCESS), "/": (200, SUCCESS)},
    "www.msftconnecttest.com": {"/connecttest.txt": (200, "Microsoft Connect Test")},
    "detectportal.firefox.com": {"/success.txt": (200, "success\n"), "/canonical.html": (200, SUCCESS)},
    "nmcheck.gnome.org": {"/check_network_status.txt": (200, "NetworkManager is online\n")},
}
"""Name and path of each probe: status and body that mean *online*."""


def captive() -> Blueprint:
    """The answers, for `create_app(..., more=[...])`."""
    part = Blueprint("captive", __name__)

    def answer() -> Any:
        paths = PROBES.get(hostname(request.host) or "")
        if paths is None or request.method not in ("GET", "HEAD") or request.path not in paths:
            return None
        status, body = paths[request.path]
        kind = "text/html" if body.startswith("<") else "text/plain"
        return Response(body, status=status, mimetype=kind, headers={"Cache-Control": "no-store"})

    # before all else, or a table at which nothing is played yet would lead the question to its start page
    part.record_once(lambda state: state.app.before_request_funcs.setdefault(None, []).insert(0, answer))
    return part
