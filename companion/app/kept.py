"""The files that a table keeps besides its matches: lens, kit, certificate, results of the set-up. One plain folder."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from calibration.lens import Lens, load_lens
from companion.game.brought import default_kit, kit_for
from companion.game.errors import CompanionError, KitError, LensError
from companion.game.kit import Kit, load_kit
from companion.game.says import Says, says_json, says_of_json
from companion.game.text_file import how_to_write, keep_text


class DrillPlace(msgspec.Struct, frozen=True, kw_only=True):
    """One marked place: where it is, and the error of a piece read on it, mm of the table."""

    x_mm: float
    y_mm: float
    off_x_mm: float
    off_y_mm: float
    sigma_mm: float


class Certificate(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a drill, its lens file, pose and light. `expired`: why it is no longer valid."""

    at: str
    table: str
    places: tuple[DrillPlace, ...]
    worst_mm: float
    rms_mm: float
    is_passed: bool
    lens_sha256: str
    rotation: tuple[tuple[float, ...], ...]
    translation_mm: tuple[float, float, float]
    white_bgr: tuple[float, float, float]
    expired: Says | None = None

    @property
    def is_valid(self) -> bool:
        return self.is_passed and self.expired is None


def _said(kind: type, value: Any) -> Says:
    """A sentence; older versions stored its text."""
    return Says("{why}", {"why": value}) if isinstance(value, str) else says_of_json(value)


KIT_DAMAGED = Says("the kit file of the set-up was damaged")


def _put_aside(path: Path, error: CompanionError) -> None:
    """Renames a damaged file: otherwise a box that starts by itself would fail on it at every start."""
    aside = path.with_stem(f"{path.stem}-damaged")
    try:
        path.replace(aside)
    except OSError:
        raise error from None
    click.echo(f"companion: {error}; it is now {aside.name}: set the table up again", err=True)


class Kept:
    """The folder of one table: `lens.json`, `kit-GAME.toml`, `certificate.json`, `setup.json`.

    `lens`, `kit`: files in place of its own; the kit is for its own game only. Raises: KitError."""

    def __init__(self, folder: Path, lens: Path | None = None, kit: Path | None = None) -> None:
        self.folder = folder
        self.lens_file = lens or folder / "lens.json"
        self._given = {} if kit is None else {load_kit(kit).game: kit}

    def kit_file(self, game: str) -> Path:
        """The kit of a game on this table, with the fiducials in their measured places."""
        return self._given.get(game) or self.folder / f"kit-{game}.toml"

    def kit(self, game: str) -> Kit:
        """The kit on this table: the set-up's, else the game's; a damaged one is set aside. Raises: KitError."""
        own = self.kit_file(game)
        if not own.exists():
            return default_kit(game)
        try:
            return kit_for(game, own)
        except KitError as error:
            if game in self._given:
                raise
            _put_aside(own, error)
            self.expire(KIT_DAMAGED)
            return default_kit(game)

    def lens(self) -> Lens | None:
        """The lens of the set-up; None if there is none, or it was damaged and is set aside. Raises: LensError."""
        if not self.lens_file.exists():
            return None
        try:
            return load_lens(self.lens_file)
        except LensError as error:
            _put_aside(self.lens_file, error)
            return None

    def lens_sha256(self) -> str:
        """The SHA-256 of the lens file, to recognize a change; empty if there is none."""
        return hashlib.sha256(self.lens_file.read_bytes()).hexdigest() if self.lens_file.exists() else ""

    def certificate(self) -> Certificate | None:
        """The certificate of the newest drill; None if there was none, or it cannot be read."""
        try:
            return msgspec.convert(self._json("certificate.json"), Certificate, dec_hook=_said)
        except (msgspec.ValidationError, KeyError, TypeError):
            return None

    def certify(self, certificate: Certificate) -> None:
        self._keep("certificate.json", msgspec.to_builtins(certificate, enc_hook=says_json))

    def expire(self, why: Says) -> None:
        """Marks the certificate as expired; the first reason stays."""
        certificate = self.certificate()
        if certificate is not None and certificate.expired is None:
            self.certify(msgspec.structs.replace(certificate, expired=why))

    def pressed(self) -> frozenset[str]:
        """Buttons that were pressed at least once since the box was set up."""
        return frozenset(map(str, self._json("setup.json").get("pressed", ())))

    def press(self, name: str) -> None:
        troubles = self.button_troubles()
        if name not in self.pressed() or name in troubles:
            left = {other: what for other, what in troubles.items() if other != name}
            self._note(pressed=sorted(self.pressed() | {name}), troubles=left)

    def button_troubles(self) -> dict[str, str]:
        """Buttons that were stuck or whose contact bounced, each with the fault, until they were pressed well."""
        return {str(name): str(what) for name, what in self._json("setup.json").get("troubles", {}).items()}

    def trouble(self, name: str, what: str) -> None:
        self._note(troubles=self.button_troubles() | {name: what})

    def alike(self) -> list[tuple[str, str]] | None:
        """Pairs of colours that look alike; None: never measured."""
        pairs = self._json("setup.json").get("alike")
        return None if pairs is None else [(str(a), str(b)) for a, b in pairs]

    def learn(self, alike: Sequence[tuple[str, str]]) -> None:
        self._note(alike=[list(pair) for pair in alike])

    def _note(self, **changes: Any) -> None:
        self._keep("setup.json", self._json("setup.json") | changes)

    def _keep(self, name: str, data: dict[str, Any]) -> None:
        self.keep(self.folder / name, json.dumps(data, indent=1) + "\n")

    def keep(self, path: Path, text: str) -> None:
        """Keeps a file. Raises: KitError."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            keep_text(path, text)
        except OSError as error:
            raise KitError(f"{path}: cannot be written ({error.strerror}): {how_to_write(error)}") from error

    def _json(self, name: str) -> dict[str, Any]:
        try:
            data = json.loads((self.folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return data if isinstance(data, dict) else {}
