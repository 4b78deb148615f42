"""Findings about the box's camera, table, calibration, buttons and network: the parts of `companion doctor`."""

import socket
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from calibration.arrays import Picture
from calibration.health import strongest_edges_px
from calibration.lens import Lens, load_lens
from calibration.light import grey_level, judge
from calibration.pose import find_pose, must_show_play_area, play_area_mm
from companion.app.address import TableAddress
from companion.app.kept import Kept
from companion.game.errors import CameraError, CompanionError, LensError, PinsError, ReadingError
from companion.game.findings import Finding, bad, good, unknown, warning
from companion.game.kit import Kit
from companion.game.says import Says, joined, listed
from hardware.buttons import Gesture
from hardware.camera import Camera, Frame
from hardware.machine import Effort, examine
from hardware.pins import NAMED, load_pins, open_factory

FRAMES = 20
SLOW_HZ = 4.0
FLICKERS = 0.012
"""Maximum change of the whole picture's brightness between frames, as a share."""
UNEVEN = 0.45
"""Minimum light at the darkest fiducial, as a share of the light at the brightest."""
SOFT_PX = 1.2
OLD_DAYS = 180.0
BROKER_S = 2.0
"""Maximum wait for the broker's answer, s."""
FOCUS = Says("focus the lens")
NO_PINS = Says("this machine has no pins: throws are ended from the phones")


def frames_of(open_camera: Callable[[], Camera], count: int = FRAMES) -> list[Frame]:
    """Some frames of a camera that is opened for this. Raises: CameraError."""
    with closing(open_camera()) as camera:
        return [camera.frame(5.0) for _ in range(count)]


def camera_findings(frames: Sequence[Frame], *, is_busy: bool = False) -> list[Finding]:
    """Rate, picture, mode and flicker of some frames in a row; `is_busy`: the processor had no time left meanwhile."""
    if not frames:
        todo = Says(
            "check its cable (for a ribbon cable, switch the box off first), and close other programs that "
            "use the camera"
        )
        return [bad("camera", Says("no picture arrives"), todo)]
    height, width = frames[-1].picture.shape[:2]
    mode = frames[-1].mode
    size = {"width": width, "height": height}
    if mode is None:
        found = [good("camera", Says("{width} x {height} pixels", size))]
    else:
        how = size | {"model": mode.model or mode.adapter}
        found = [good("camera", Says("{width} x {height} pixels, {model}", how))]
    span_s = frames[-1].at_s - frames[0].at_s
    if len(frames) > 2 and span_s > 0:
        rate = (len(frames) - 1) / span_s
        says = Says("{rate} pictures a second", {"rate": f"{rate:.1f}"})
        todo = Says("give it more light (the exposure is long), or another USB socket")
        if is_busy:
            todo = Says("the processor is busy: end other programs on this box, or see whether it is too hot")
        found.append(good("rate", says) if rate >= SLOW_HZ else warning("rate", says, todo))
        levels = np.array([frame.picture[::16, ::16].mean() for frame in frames])
        wander = float(np.abs(np.diff(levels)).max() / max(levels.mean(), 1.0))
        says = Says("the brightness varies by {share} between pictures", {"share": f"{wander:.1%}"})
        todo = Says("set --mains to your mains frequency, or use another lamp")
        found.append(good("flicker", says) if wander < FLICKERS else warning("flicker", says, todo))
    return found


def table_findings(frame: Frame, lens: Lens, kit: Kit) -> list[Finding]:
    """Findings about the table in one frame, or the reason why the frame is unusable."""
    unlike = lens.mode.unlike(frame.mode) if lens.mode is not None and frame.mode is not None else None
    if unlike is not None:
        return [bad("lens", unlike, Says("calibrate the lens again at /setup"))]
    try:
        return picture_findings(frame.picture, lens, kit)
    except ReadingError as error:
        return [bad("table", error.sentence)]


def picture_findings(picture: Picture, lens: Lens, kit: Kit) -> list[Finding]:
    """Fiducials, the camera's place, the error of a place, sharpness and light. Raises: ReadingError."""
    pose = find_pose(picture, lens, kit)
    must_show_play_area(pose, kit)
    light = judge(picture, pose, kit)
    absent = sorted(kit.mat.markers.keys() - {fiducial.id for fiducial in pose.seen})
    used = {"n": pose.fiducials, "all": len(kit.mat.markers), "px": f"{pose.reprojection_px:.2f}"}
    found = [good("fiducials", Says("{n} of {all} seen, off by {px} px", used))]
    if absent:
        says = Says("{n} of {all} used, not {ids}", used | {"ids": ", ".join(map(str, absent))})
        found[0] = warning("fiducials", says, Says("uncover the other fiducial or lay it again"))
    x_mm, y_mm, height_mm = pose.centre_mm.tolist()
    at = {"height": round(height_mm), "x": round(x_mm), "y": round(y_mm), "deg": f"{pose.tilt_deg:.1f}"}
    found.append(good("aim", Says("{height} mm up over ({x}, {y}), tilted by {deg} degrees", at)))
    worst_mm = float(pose.sigma_mm(play_area_mm(kit)).max())
    todo = Says("measure two distances between the fiducials at /setup, and calibrate with more pictures")
    says = Says("positions are accurate to {mm} mm in the worst corner (one standard error)", {"mm": f"{worst_mm:.2f}"})
    found.append(good("accuracy", says) if worst_mm < 0.6 else warning("accuracy", says, todo))
    says = Says("edges {px} px wide", {"px": f"{light.blur_px:.1f}"})
    found.append(good("sharpness", says) if light.blur_px < SOFT_PX else warning("sharpness", says, FOCUS))
    level = grey_level(float(light.white_bgr.max()))
    if light.is_clipped:
        todo = Says("dim the light, or let the box adapt")
        found.append(warning("exposure", Says("white paper is overexposed"), todo))
    else:
        found.append(good("exposure", Says("white paper is at {level} of 255", {"level": level})))
    papers = {i: float(paper.mean()) for i, paper in light.paper_bgr.items()}
    darkest = min(papers, key=papers.__getitem__)
    even = papers[darkest] / max(max(papers.values()), 1e-6)
    words = "fiducial {id} is only {share} as bright as the brightest one"
    says, todo = Says(words, {"id": darkest, "share": f"{even:.0%}"}), Says("move the lamp to the middle")
    found.append(good("light", says) if even > UNEVEN else warning("light", says, todo))
    return found


def calibration_findings(kept: Kept, now_s: float) -> list[Finding]:
    if not kept.lens_file.exists():
        todo = Says("open /setup and move the board in front of the camera")
        return [bad("calibration", Says("the lens file is missing"), todo)]
    try:
        lens = load_lens(kept.lens_file)
    except LensError as error:
        return [bad("calibration", error.sentence)]
    days = (now_s - kept.lens_file.stat().st_mtime) / 86400
    words = "{n} pictures, {px} px RMS, {days} days old"
    says = Says(words, {"n": lens.pictures, "px": f"{lens.rms_px:.2f}", "days": round(days)})
    old = Says("calibrate again at /setup")
    found = [good("calibration", says) if days < OLD_DAYS else warning("calibration", says, old)]
    if lens.mode is None:
        todo = Says("calibrate at /setup: until then the box cannot notice a changed focus or mode")
        found.append(warning("lens", Says("the lens file does not say how its camera was set"), todo))
    elif not lens.mode.is_focus_known:
        says = Says("this camera does not report its focus: the stated errors allow for a slightly turned focus ring")
        found.append(warning("lens", says, Says("fasten the focus ring; if it was turned, calibrate again at /setup")))
    certificate = kept.certificate()
    if certificate is None:
        found.append(warning("certificate", Says("none yet"), Says("run the drill at /setup before an event")))
    elif certificate.expired is not None:
        says = Says("it has expired: {why}", {"why": certificate.expired})
        found.append(warning("certificate", says, Says("run the drill again at /setup")))
    elif not certificate.is_passed:
        says = Says("the drill failed by {mm} mm", {"mm": f"{certificate.worst_mm:.1f}"})
        found.append(bad("certificate", says, Says("see /setup")))
    else:
        says = Says("places at most {mm} mm off", {"mm": f"{certificate.worst_mm:.1f}"})
        found.append(good("certificate", says))
    return found


def sharpness_finding(frame: Frame) -> Finding:
    """The sharpness of a picture without a lens file, by its strongest edges."""
    grey = np.asarray(frame.picture.mean(axis=2), np.uint8)
    reduced = max(1, round(grey.shape[1] / 1152))
    width_px = strongest_edges_px(grey, reduced)
    if width_px is None:
        return unknown("sharpness", Says("nothing with edges is in view"))
    says = Says("the sharpest edges are {px} px wide", {"px": f"{width_px:.1f}"})
    return good("sharpness", says) if width_px < 2.2 * reduced else warning("sharpness", says, FOCUS)


def color_findings(kept: Kept) -> list[Finding]:
    """Colours of the set that look alike under this lamp, as measured in the set-up."""
    alike = kept.alike()
    if alike is None:
        return [unknown("colours", Says("not measured yet"), Says("lay the pieces out at /setup"))]
    if not alike:
        return [good("colours", Says("the set's colours can be distinguished"))]
    pairs = joined([Says("{several} and {one}", {"several": a, "one": b}) for a, b in alike])
    todo = Says("change the lamp, or print letters")
    return [warning("colours", Says("{pairs} look alike under this lamp", {"pairs": pairs}), todo)]


def button_findings(kept: Kept, pins: Path | None, open_pins: Callable[[], object] = open_factory) -> list[Finding]:
    """Wired buttons that are stuck, that chatter, or that were never pressed."""
    try:
        wired = load_pins(pins)
    except PinsError as error:
        return [bad("buttons", error.sentence)]
    try:
        open_pins()
    except PinsError:
        return [unknown("buttons", NO_PINS)]
    troubles = kept.button_troubles()
    stuck = [name for name, what in troubles.items() if what == Gesture.STUCK]
    if stuck:
        says = Says("stays pressed: {names}", {"names": listed([NAMED[name] for name in stuck])})
        return [bad("buttons", says, Says("free it, or take off whatever is on it; then press it once"))]
    if troubles:
        says = Says("chatters: {names}", {"names": listed([NAMED[name] for name in troubles])})
        return [warning("buttons", says, Says("check its wires or replace it; then press it once"))]
    never = [name for name in wired.buttons if name not in kept.pressed()]
    if never:
        says = Says("never pressed: {names}", {"names": listed([NAMED[name] for name in never])})
        return [warning("buttons", says, Says("press each once at /setup"))]
    return [good("buttons", Says("{n} wired, each was pressed", {"n": len(wired.buttons)}))]


def network_finding(address: TableAddress) -> Finding:
    url = address.url
    if "127.0.0.1" in url:
        todo = Says("join a network, or open the box's own: `companion network on`")
        return warning("network", Says("no network"), todo)
    return good("network", Says("phones join at {url} or {other}", {"url": url, "other": address.named_url}))


def hub_finding(hub: Path) -> Finding:
    """Whether the hub's broker, which carries this table's reports, can be reached."""
    from companion.app.hub import needs_hub
    from companion.app.reporting import given_by

    try:
        needs_hub()
        given = given_by(hub)
    except CompanionError as error:
        return bad("hub", error.sentence)
    where = {"host": given.host, "port": given.port}
    try:
        socket.create_connection((given.host, given.port), BROKER_S).close()
    except OSError:
        todo = Says("results are kept here and sent later: start the hub, or check the network")
        return bad("hub", Says("no broker answers at {host}:{port}", where), todo)
    return good("hub", Says("the broker at {host}:{port} answers", where))


def examined(
    kept: Kept,
    frames: Callable[[], Sequence[Frame]],
    kit: Kit,
    *,
    pins: Path | None,
    address: TableAddress,
    hub: Path | None = None,
) -> list[Finding]:
    """All findings. A camera that fails is a finding like others."""
    found: list[Finding] = []
    try:
        effort = Effort()
        taken = frames()
        found += camera_findings(taken, is_busy=effort.is_busy)
        if taken and kept.lens_file.exists():
            found += table_findings(taken[-1], load_lens(kept.lens_file), kit)
        elif taken:
            found.append(sharpness_finding(taken[-1]))
    except (CameraError, LensError) as error:
        found.append(bad("camera", error.sentence))
    found += calibration_findings(kept, time.time())
    found += color_findings(kept) + button_findings(kept, pins) + [network_finding(address)]
    if hub is not None:
        found.append(hub_finding(hub))
    return found + examine(kept.folder)
