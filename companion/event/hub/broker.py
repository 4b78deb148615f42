"""mosquitto's own files: permissions, this hub's certificate, a configuration."""

import base64
import hashlib
import ipaddress
import os
import secrets
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from companion.event.hub.link import BOX, DOWN, UP
from companion.event.hub.mqtt import TLS_PORT, Credentials, LinkError, read_credentials, written
from companion.event.refused import EventRefused
from companion.game.text_file import keep

ITERATIONS = 1_001
DAYS = 3650
HUB = "hub"
CONFIG = """# made by companion hub broker; run: mosquitto -c {folder}/mosquitto.conf
per_listener_settings false
listener {port}
{tls}allow_anonymous false
password_file {folder}/passwords
acl_file {folder}/acl
persistence true
persistence_location {folder}/kept/
autosave_interval 5
max_queued_messages 10000
{user}"""
TLS = "cafile {folder}/ca.pem\ncertfile {folder}/server.pem\nkeyfile {folder}/server.key\n"
HOME = "homeassistant"
"""Home Assistant's user, if one was asked for. It reads the tables' messages, and nothing else."""
ACL = f"""user {HUB}
topic readwrite companion/#
topic write {HOME}/#

user {HOME}
topic read {UP}/#
topic read {HOME}/#

pattern write {UP}/%u/+
pattern read {DOWN}/%u/+
"""


def password_line(username: str, password: str, salt: bytes) -> str:
    """A line of mosquitto's password file (PBKDF2 with SHA-512, its kind 7)."""
    key = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, ITERATIONS)
    parts = (str(ITERATIONS), base64.b64encode(salt).decode(), base64.b64encode(key).decode())
    return f"{username}:$7${'$'.join(parts)}"


def set_up(folder: Path, host: str, port: int = TLS_PORT, *, has_tls: bool = True) -> Credentials:
    """Writes all that mosquitto needs, and the hub's own credentials. Raises: LinkError."""
    folder = folder.resolve()
    (folder / "kept").mkdir(parents=True, exist_ok=True)
    if has_tls:
        _certify(folder, host)
    ca = (folder / "ca.pem").read_text(encoding="ascii") if has_tls else ""
    own = Credentials(HUB, host, port, HUB, secrets.token_urlsafe(24), ca)
    tls = TLS.format(folder=folder) if has_tls else ""
    user = "user root\n" if os.geteuid() == 0 else ""
    write(folder / "mosquitto.conf", CONFIG.format(folder=folder, port=port, tls=tls, user=user).encode())
    write(folder / "acl", ACL.encode())
    write(folder / "passwords", b"" if not (folder / "passwords").is_file() else (folder / "passwords").read_bytes())
    _set_password(folder, own)
    write(folder / "hub.json", written(own))
    return own


def enroll(folder: Path, box: str, keep: Callable[[Credentials], object] = lambda given: None) -> Credentials:
    """A table's credentials, which `keep` stores before the older ones are removed. Raises: EventRefused, LinkError."""
    if not BOX.fullmatch(box) or box in (HUB, HOME):
        raise EventRefused("{box} cannot be the name of a table: expected up to 24 letters, digits, - and _", box=box)
    own_file = folder / "hub.json"
    if not own_file.is_file():
        raise LinkError(f"{folder} has no broker's files yet: type companion hub broker first")
    own = read_credentials(own_file)
    given = Credentials(box, own.host, own.port, box, secrets.token_urlsafe(24), own.ca, own.hosts)
    keep(given)
    _set_password(folder, given)
    return given


def let_home_in(folder: Path) -> Credentials:
    """Home Assistant's credentials; older ones stop working. Raises: LinkError."""
    own = read_credentials(folder / "hub.json")
    given = Credentials(HOME, own.host, own.port, HOME, secrets.token_urlsafe(24), own.ca)
    _set_password(folder, given)
    return given


def remove(folder: Path, box: str) -> None:
    """Revokes a table's credentials, once mosquitto has read its file again."""
    write(folder / "passwords", _passwords_of_others(folder, box))


def _set_password(folder: Path, given: Credentials) -> None:
    line = password_line(given.username, given.password, secrets.token_bytes(12))
    write(folder / "passwords", _passwords_of_others(folder, given.username) + f"{line}\n".encode())


def _passwords_of_others(folder: Path, user: str) -> bytes:
    path = folder / "passwords"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return "".join(f"{line}\n" for line in lines if not line.startswith(f"{user}:")).encode()


def _certify(folder: Path, host: str) -> None:
    """Makes this hub's authority and its broker's certificate, and a new one after a change of name or address."""
    names = f"subjectAltName={_name_of(host)},DNS:localhost,IP:127.0.0.1\n".encode()
    asked = folder / "server.ext"
    if (folder / "server.pem").is_file() and asked.is_file() and asked.read_bytes() == names:
        return
    if shutil.which("openssl") is None:
        raise LinkError("openssl is not installed, and makes the certificate: apt-get install openssl")
    (folder / "server.pem").unlink(missing_ok=True)
    write(asked, names)
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    days = ["-days", str(DAYS)]
    if not ((folder / "ca.pem").is_file() and (folder / "ca.key").is_file()):
        authority = ["-keyout", "ca.key", "-out", "ca.pem", *days, "-subj", "/CN=Companion hub"]
        _openssl(folder, "req", "-x509", *key, *authority)
    _openssl(folder, "req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=broker")
    signs = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "server.ext"]
    _openssl(folder, "x509", "-req", "-in", "server.csr", "-out", "server.pem", *days, *signs)
    for name in ("ca.key", "server.key"):
        (folder / name).chmod(0o600)


def _name_of(host: str) -> str:
    try:
        return f"IP:{ipaddress.ip_address(host)}"
    except ValueError:
        return f"DNS:{host}"


def _openssl(folder: Path, *words: str) -> None:
    done = subprocess.run(["openssl", *words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LinkError(f"openssl could not make the certificate: {done.stderr.strip().splitlines()[-1:]}")


def write(path: Path, content: bytes) -> None:
    """Writes a file that only its owner reads, whole or not at all."""
    keep(path, content, 0o600)
