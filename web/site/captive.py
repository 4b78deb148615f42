"""Answers to the connectivity checks of phones, so that they stay in the table's own network.

Many phones leave an access point without internet at once. If the box is the name server (its own access point), the
probes' names lead here, and each maker's own answer is given. Nothing else is answered under such a name.
Source: the makers' public descriptions of their connectivity checks.
"""

from pathlib import Path
from typing import Any

from flask import Blueprint, Response, request

from web.site.phones import hostname

WIFI_FILE = Path("/etc/companion/wifi.txt")
"""QR code text for joining the box's own access point. The file exists while that is open."""
SUCCESS = "<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"
NO_CONTENT = {"/generate_204": (204, ""), "/gen_204": (204, "")}
APPLE = {"/hotspot-detect.html": (200, SUCCESS), "/library/test/success.html": (200, SUCCESS), "/": (200, SUCCESS)}
GOOGLE_NAMES = """connectivitycheck.gstatic.com connectivitycheck.android.com www.gstatic.com www.google.com
    clients1.google.com clients3.google.com clients4.google.com android.clients.google.com play.googleapis.com"""
CHINESE_NAMES = """www.google.cn developers.google.cn www.gstatic.cn
    connectivitycheck.platform.hicloud.com connectivitycheck.cbg-app.huawei.com
    connectivitycheck.platform.hihonorcloud.com connect.rom.miui.com
    conn1.oppomobile.com conn2.oppomobile.com wifi.vivo.com.cn"""
"""Google's names in China, Huawei, Honor, Xiaomi, Oppo (also OnePlus and Realme), Vivo."""
APPLE_NAMES = """captive.apple.com www.apple.com www.appleiphonecell.com www.itools.info www.ibook.info www.airport.us
    www.thinkdifferent.us"""
PROBES: dict[str, dict[str, tuple[int, str]]] = {
    **dict.fromkeys(f"{GOOGLE_NAMES} {CHINESE_NAMES}".split(), NO_CONTENT),
    **dict.fromkeys(APPLE_NAMES.split(), APPLE),
    "www.msftconnecttest.com": {"/connecttest.txt": (200, "Microsoft Connect Test")},
    "ipv6.msftconnecttest.com": {"/connecttest.txt": (200, "Microsoft Connect Test")},
    "www.msftncsi.com": {"/ncsi.txt": (200, "Microsoft NCSI")},
    "detectportal.firefox.com": {"/success.txt": (200, "success\n"), "/canonical.html": (200, SUCCESS)},
    "nmcheck.gnome.org": {"/check_network_status.txt": (200, "NetworkManager is online\n")},
}
"""Name and path of each probe: status and body that mean *online*."""
ADDRESSES = {"dns.msftncsi.com": "131.107.255.255"}
"""Windows asks for this name too, and expects this address."""


def captive() -> Blueprint:
    """The answers, for `create_app(..., more=[...])`."""
    part = Blueprint("captive", __name__)

    def answer() -> Any:
        paths = PROBES.get(hostname(request.host) or "")
        if paths is None or request.method not in ("GET", "HEAD") or request.path not in paths:
            return None
        status, body = paths[request.path]
        kind = "text/html" if body.startswith("<") else "text/plain"
        return Response(body, status=status, mimetype=kind)

    # before all other pages: otherwise a table without a match would redirect the question to its start page
    part.record_once(lambda state: state.app.before_request_funcs.setdefault(None, []).insert(0, answer))
    return part
