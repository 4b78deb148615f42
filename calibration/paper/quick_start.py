"""The quick-start sheet: from parts to the first ruling in twelve steps, one page each in English and German."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reportlab.pdfbase.pdfmetrics import stringWidth

from calibration.paper.paper import BLACK, FONT, POINTS_A_MM, SOFT, Color, Pen, Printable

WIDTH_MM, HEIGHT_MM = 190.0, 262.0
PALE: Color = (0.9, 0.93, 0.98)
PITCH_MM = 2.9
"""Distance of the drawn pins of the Pi's header."""
COLUMN_MM, GAP_MM = 92.0, 6.0
WORDS_MM, LINE_MM = 3.1, 4.2
BEFORE_PAGES = 5
"""Number of steps in the left column: those before the box's pages."""
HEIGHTS_M = {"Camera Module 3 Wide": 0.9, "Camera Module 3, 2": 1.0, "HQ Camera, 6 mm": 1.15, "Camera Module 1": 1.3}
PINS = {"end_throw": (17, 11), "undo": (27, 13), "call_referee": (22, 15), "buzzer": (26, 37)} | {
    "red": (13, 33),
    "green": (19, 35),
    "blue": (12, 32),
}
"""GPIO number and header pin of each part, as in `hardware/pins.toml`."""


@dataclass(frozen=True, slots=True)
class QuickStart:
    """The texts in one language."""

    title: str
    lead: str
    mount: str
    labels: Mapping[str, str]
    wiring: str
    parts: Mapping[str, str]
    steps: Sequence[tuple[str, str]]


ENGLISH = QuickStart(
    title="Companion: from parts to the first ruling",
    lead="Twelve steps, about two hours. The box shows the steps 6 to 11 on a phone and ticks them off.",
    mount="Camera and lamp",
    labels={"camera": "camera", "lamp": "lamp", "arm": "arm", "mat": "mat 1.0 x 0.7 m", "height": "height"},
    wiring="Buttons and lamp (optional)",
    parts={
        "end_throw": "button: end throw",
        "undo": "button: undo (hold)",
        "call_referee": "button: call referee",
        "buzzer": "active buzzer, +",
        "red": "330 ohm, lamp red",
        "green": "330 ohm, lamp green",
        "blue": "330 ohm, lamp blue",
        "ground": "GND: other leg of each button, buzzer -, lamp's common leg (the longest; "
        "usually red on one side of it, green and blue on the other)",
    },
    steps=(
        ("Buy", "Raspberry Pi 4 or 5 with 2 GB, its own supply, a 32 GB card, a camera, a monitor arm, a lamp. For one "
         "hour also a screen, a keyboard, a USB stick and a printer."),
        ("Mount", "Clamp the arm to the table. Hang the camera over the middle at the height above. It must not sway."),
        ("Connect", "Without power: push the camera's cable home at both ends, its contacts towards the board. Of a "
         "Pi 5's two sockets take either. Wire buttons and lamp, or leave them out."),
        ("Card", "Raspberry Pi Imager (raspberrypi.com/software) on a computer: choose Raspberry Pi OS "
         "(64-bit), name the box companion, enter your Wi-Fi. Write the card."),
        ("Install", "Copy the release to the USB stick. Start the Pi with card, stick, screen and keyboard. Open the "
         "Terminal and type:  sudo sh /media/*/*/install.sh"),
        ("Aim", "Open  companion.local  on a phone in the same Wi-Fi. Print the four fiducials at 100 %, lay them at "
         "the mat's corners. Move the camera until all four are framed."),
        ("Lens", "Print the board, glue it to something flat, and hold it in front of the camera ten times."),
        ("Fiducials", "Measure two distances with a tape and type them in."),
        ("Pieces", "Lay some pieces of each colour on the mat. The box learns their colours."),
        ("Buttons", "Press each button once. Without buttons this step is done."),
        ("Drill", "Lay a piece on each of the ten crosses of the printed mat: the certificate follows. On another mat, "
         "go on without."),
        ("Play", "Choose the game, scan the code with each phone, take a seat. Throw, take your hands away, press End "
         "throw: the first ruling."),
    ),
)  # fmt: skip
GERMAN = QuickStart(
    title="Companion: vom Karton zur ersten Entscheidung",
    lead="Zwölf Schritte, etwa zwei Stunden. Die Schritte 6 bis 11 zeigt das Gerät am Handy und hakt sie ab.",
    mount="Kamera und Lampe",
    labels={"camera": "Kamera", "lamp": "Lampe", "arm": "Arm", "mat": "Matte 1,0 x 0,7 m", "height": "Höhe"},
    wiring="Knöpfe und Lampe (wer mag)",
    parts={
        "end_throw": "Knopf: Wurf beenden",
        "undo": "Knopf: zurück (halten)",
        "call_referee": "Knopf: Schiedsrichter",
        "buzzer": "aktiver Summer, +",
        "red": "330 Ohm, Lampe rot",
        "green": "330 Ohm, Lampe grün",
        "blue": "330 Ohm, Lampe blau",
        "ground": "GND: andere Seite der Knöpfe, Summer -, gemeinsames Bein der Lampe (das längste; meist auf "
        "einer Seite davon rot, auf der anderen grün und blau)",
    },
    steps=(
        ("Kaufen", "Raspberry Pi 4 oder 5 mit 2 GB, das passende Netzteil, eine 32-GB-Karte, Kamera, Monitorarm, "
         "Lampe. Für eine Stunde auch Bildschirm, Tastatur, USB-Stick und Drucker."),
        ("Aufhängen", "Den Arm am Tisch festklemmen. Die Kamera hängt über der Mitte, so hoch wie oben. Sie darf nicht "
         "schwanken."),
        ("Anschließen", "Ohne Strom: das Kamerakabel an beiden Enden ganz einschieben, Kontakte zur Platine. Der "
         "Pi 5 hat zwei Buchsen: egal welche. Knöpfe und Lampe anschließen oder weglassen."),
        ("Karte", "Raspberry Pi Imager (raspberrypi.com/software) am Computer: Raspberry Pi OS (64-bit) wählen, "
         "das Gerät companion nennen, das eigene WLAN eintragen, Karte schreiben."),
        ("Installieren", "Das Release auf den USB-Stick kopieren. Pi mit Karte, Stick, Bildschirm und Tastatur "
         "starten. Im Terminal eingeben:  sudo sh /media/*/*/install.sh"),
        ("Ausrichten", "Am Handy im selben WLAN  companion.local  öffnen. Die vier Marken mit 100 % drucken und an "
         "die Ecken der Matte legen. Die Kamera bewegen, bis alle vier umrahmt sind."),
        ("Objektiv", "Die Tafel drucken, auf etwas Ebenes kleben und zehnmal vor die Kamera halten."),
        ("Marken", "Zwei Abstände mit dem Maßband messen und eintippen."),
        ("Teile", "Von jeder Farbe einige Teile auf die Matte legen. Das Gerät lernt die Farben."),
        ("Knöpfe", "Jeden Knopf einmal drücken. Ohne Knöpfe ist der Schritt erledigt."),
        ("Probe", "Auf jedes der zehn Kreuze der gedruckten Matte ein Teil legen: Danach gibt es das Zertifikat. Auf "
         "einer anderen Matte ohne Probe weiter."),
        ("Spielen", "Spiel wählen, mit jedem Handy den Code scannen, Platz nehmen. Werfen, Hände weg, „Wurf beenden“: "
         "die erste Entscheidung."),
    ),
)  # fmt: skip


def quick_start(sheet: QuickStart) -> Printable:
    """One page: the mount, the wiring and the steps."""

    def draw(pen: Pen) -> None:
        pen.text((0, 8), sheet.title, 7, bold=True)
        pen.text((0, 15), sheet.lead, 3.4)
        _mount(pen.moved(0, 22), sheet)
        _wiring(pen.moved(COLUMN_MM + GAP_MM, 22), sheet)
        for column, numbers in enumerate((range(BEFORE_PAGES), range(BEFORE_PAGES, len(sheet.steps)))):
            y = 122.0
            for number in numbers:
                y = _step(pen.moved(column * (COLUMN_MM + GAP_MM), y), number + 1, *sheet.steps[number]) + y

    return Printable(sheet.title, WIDTH_MM, HEIGHT_MM, draw)


def _step(pen: Pen, number: int, name: str, words: str) -> float:
    """Draws one step and returns its height."""
    pen.circle((4.5, 4), 9, fill=BLACK, rim=None)
    pen.text((4.5, 5.5), str(number), 4.2, color=(1.0, 1.0, 1.0), align="middle", bold=True)
    pen.text((12, 4), name, 4, bold=True)
    lines = _wrapped(words, COLUMN_MM - 12)
    for i, line in enumerate(lines):
        pen.text((12, 9 + i * LINE_MM), line, WORDS_MM)
    return 10 + len(lines) * LINE_MM


def _wrapped(words: str, width_mm: float) -> list[str]:
    lines = [""]
    for word in words.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if stringWidth(longer, FONT, WORDS_MM * POINTS_A_MM) > width_mm * POINTS_A_MM:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _mount(pen: Pen, sheet: QuickStart) -> None:
    """Draws the table from the side: arm, camera with its view, lamp, height. Below: the height for each camera."""
    pen.text((0, 4), sheet.mount, 4, bold=True)
    table, camera = 62.0, (46.0, 16.0)
    pen.boxes([(4, table, 84, 2.4), (9, table + 2.4, 2.4, 10), (81, table + 2.4, 2.4, 10)], SOFT)
    pen.boxes([(16, table - 1.2, 60, 1.2)])
    pen.text((46, table + 7.5), sheet.labels["mat"], 3, align="middle")
    pen.line(((7, table + 4), (7, 12), (46, 12)), 1.6, SOFT)  # clamped to the edge
    pen.boxes([(4.5, table - 1.5, 5, 5)], SOFT)
    pen.text((9.5, 22), sheet.labels["arm"], 3)
    pen.boxes([(camera[0] - 3.5, 11, 7, 5)])
    pen.text((camera[0] + 6, 15), sheet.labels["camera"], 3)
    for x in (16.0, 76.0):
        pen.line((camera, (x, table - 1.2)), 0.2, BLACK, dashed=True)
    pen.line(((72, 22), (78, 10), (84, 22), (72, 22)), 0.5, BLACK)
    pen.text((78, 27), sheet.labels["lamp"], 3, align="middle")
    pen.line(((camera[0], camera[1]), (camera[0], table - 1.2)), 0.25, BLACK)
    for y, way in ((camera[1], 1), (table - 1.2, -1)):
        pen.line(((camera[0] - 1.2, y + 2.5 * way), (camera[0], y), (camera[0] + 1.2, y + 2.5 * way)), 0.25, BLACK)
    pen.text((camera[0] + 1.5, 40), sheet.labels["height"], 3)
    decimal = sheet.labels["mat"][7:8] if "," in sheet.labels["mat"] else "."
    for i, (name, height_m) in enumerate(HEIGHTS_M.items()):
        pen.text((4, 79 + 4.4 * i), name, WORDS_MM)
        pen.text((88, 79 + 4.4 * i), f"{height_m:.2f} m".replace(".", decimal), WORDS_MM, align="right")


def _wiring(pen: Pen, sheet: QuickStart) -> None:
    """Draws the Pi's header, pin 1 at the top left, and the part on each pin."""
    pen.text((0, 4), sheet.wiring, 4, bold=True)
    left, top = 42.0, 12.0
    pen.boxes([(left - 2, top - 2, PITCH_MM + 4, 19 * PITCH_MM + 4)], PALE)
    used = dict.fromkeys((9, 34, 39), ("GND", ""))
    used |= {pin: (f"GPIO{gpio}", sheet.parts[name]) for name, (gpio, pin) in PINS.items()}
    for pin in range(1, 41):
        x, y = left + PITCH_MM * ((pin - 1) % 2), top + PITCH_MM * ((pin - 1) // 2)
        pen.circle((x, y), 2, fill=BLACK if pin in used else None, rim=BLACK, width_mm=0.2)
        if pin in used:
            gpio, part = used[pin]
            is_right = pin % 2 == 0
            way, align = (1, "left") if is_right else (-1, "right")
            pen.line(((x + 1.2 * way, y), (x + 4 * way, y)), 0.25, BLACK)
            pen.text((x + 5 * way, y + 1), f"{pin}  {gpio}" if is_right else f"{gpio}  {pin}", 2.6, align=align)
            pen.text((x + (20 if is_right else -21), y + 1), part, 2.6, align=align)
    pen.text((left - 4, top + 1), "1", 2.6, align="right")
    for i, line in enumerate(_wrapped(sheet.parts["ground"], COLUMN_MM - 4)):
        pen.text((0, top + 19 * PITCH_MM + 8 + i * LINE_MM), line, WORDS_MM)
