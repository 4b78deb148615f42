"""The box's own certificate, and TLS with it."""

import contextlib
import subprocess
from collections.abc import Iterable
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER

from flask import Blueprint, Response
from gevent.ssl import SSLContext

from companion.game.errors import CompanionError
from companion.game.text_file import how_to_write

CERTIFICATE_DAYS, RENEWED_DAYS = 397, 30
"""Maximum lifetime that phones accept for a certificate, and the remaining days at which a new one is made."""


class CertificateError(CompanionError, OSError):
    """A certificate that cannot be made or used."""


def own_certificate(folder: Path, names: Iterable[str], addresses: Iterable[str]) -> Path:
    """The box's own certificate with its key in one file. It is replaced if it expires soon or if other names are
    needed.

    Raises: CertificateError.
    """
    path, told = folder / "https.pem", folder / "https.names"
    wanted = ",".join([*(f"DNS:{name}" for name in names), *(f"IP:{address}" for address in addresses)])
    lasting = ["openssl", "x509", "-in", str(path), "-noout", "-checkend", str(RENEWED_DAYS * 86400)]
    with contextlib.suppress(OSError):
        if told.read_text(encoding="utf-8") == wanted and not subprocess.run(lasting, capture_output=True).returncode:
            return path
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    make += ["-days", str(CERTIFICATE_DAYS), "-subj", "/CN=Companion", "-addext", f"subjectAltName={wanted}"]
    make += ["-addext", "extendedKeyUsage=serverAuth", "-keyout", "-", "-out", "-"]
    try:
        made = subprocess.run(make, capture_output=True, check=True).stdout
        folder.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.chmod(0o600)
        path.write_bytes(made)
        told.write_text(wanted, encoding="utf-8")
    except FileNotFoundError as error:
        raise CertificateError("there is no openssl, expected Debian's: `sudo apt install openssl`") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().splitlines()
        raise CertificateError(f"no certificate could be made ({said[-1] if said else 'openssl'})") from error
    except OSError as error:
        raise CertificateError(f"{path} cannot be written ({error.strerror}): {how_to_write(error)}") from error
    return path


def certificate_page(certificate: Path) -> Blueprint:
    """The certificate without its key: /companion.crt. A phone that installs it shows no warning."""
    part = Blueprint("https", __name__)

    @part.get("/companion.crt")
    def public() -> Response:
        text = certificate.read_text(encoding="ascii")
        begins = text.index("-----BEGIN CERTIFICATE-----")
        ends = text.index("-----END CERTIFICATE-----") + len("-----END CERTIFICATE-----\n")
        return Response(text[begins:ends], mimetype="application/x-x509-ca-cert")

    return part


def context_of(certificate: Path) -> SSLContext:
    """TLS with this certificate, for gevent's sockets. Raises: CertificateError."""
    context = SSLContext(PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate)
    except OSError as error:
        raise CertificateError(f"{certificate} is no certificate with its key: delete it") from error
    return context
