"""The screens of the gallery that have a camera's picture in them: the table watched, and the camera calibrated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from calibration.camera import CameraFit, Collection, draw_board, find_board
from calibration.guide import advice, turn_of
from calibration.table import draw_errors, fit_table
from game.games.evaluation.numbers import NUMBERS
from game.games.evaluation.window.model import Act
from game.match.ports import Difference, SeenTile, Settle, TableSight
from game.table.calibrating import Measured, Progress
from game.ui.camera.calibrate import Calibrate
from game.ui.match_settings import MatchSettings
from game.ui.screens.start import Cameras, Start
from game.words import say
from physics.errors import InputError
from physics.outcome import Fate
from physics.tiles import Stance
from vision.camera.devices import Camera
from vision.camera.markers import find_markers
from vision.camera.mat import find_mat
from vision.camera.sources import Image
from vision.drawing.footage import PLAIN_TABLE, usual_sight
from vision.drawing.photograph import photograph
from vision.proof.lens import board_pose, board_seen
from vision.reader.reading import ReadTile
from vision.reader.seen_table import outline

if TYPE_CHECKING:
    from tests.game.ui.gallery import Gallery

SIGHT = usual_sight((640, 480))
GREY = np.full((480, 640, 3), 120, np.uint8)
PLACES = ((0.0, 0.0, 420.0), (-0.28, -0.2, 480.0), (0.0, -0.2, 480.0))  # of the board in the picture, and how far away
DIFFERENCES = (Difference("moved", 8, 12.4), Difference("turned", 6, 14.0), Difference("extra", 11))


class Posing:
    """A camera over the table that sees what it is told to."""

    def __init__(self) -> None:
        self._sight = TableSight(0, None)
        self._trouble: InputError | None = None

    def sees(self, sight: TableSight, trouble: InputError | None = None) -> None:
        self._sight, self._trouble = replace(sight, number=self._sight.number + 1), trouble

    def snapshot(self) -> TableSight:
        said = "" if self._trouble is None else say(self._trouble)
        self._sight = replace(self._sight, number=self._sight.number + 1, trouble=said)
        return self._sight


class PosingWork:
    """A calibration that stays as it is shown."""

    def __init__(self) -> None:
        self.now = Progress()
        self.kept: dict[Measured, Path] = {}

    def snapshot(self) -> Progress:
        return self.now

    def keep(self) -> Path:
        self.kept[self.now.stage] = Path(
            f"/home/oleksandra/.local/share/topple/calibrations/{self.now.stage.value}.1.toml"
        )
        return self.kept[self.now.stage]

    def to_table(self) -> None:
        self.now = Progress(Measured.TABLE, picture=self.now.picture)

    def close(self) -> None:
        pass


@cache
def mat() -> Image:
    """The mat, all of it in the picture."""
    return photograph([], SIGHT, PLAIN_TABLE, 1).image


def corner_of_mat() -> Image:
    """The same table when the camera was knocked aside: one marker is left in the picture."""
    found = GREY.copy()
    found[:300, :400] = mat()[180:, 240:]
    return found


def refusal(picture: Image) -> InputError:
    """Why the table cannot be read in it."""
    try:
        find_mat(picture, None)
    except InputError as error:
        return error
    raise AssertionError("the mat is found in it")


def tiles() -> tuple[SeenTile, ...]:
    """Two tiles as they are drawn over the picture."""
    found = (
        ReadTile(value, x, 5.0, 0.0, Stance.UPRIGHT, Fate.STANDING, (0.2, 0.2, 0.5), 0.99)
        for value, x in ((6, -20.0), (8, 15.0))
    )
    return tuple(SeenTile(tile.value, outline(tile, NUMBERS.tiles, SIGHT)) for tile in found)


def camera_table(gallery: Gallery, camera: Posing) -> None:
    """What the window says of a camera that does not see the table, and of a table that the game does not know."""
    still = TableSight(0, mat(), ())
    camera.sees(still)
    gallery.at(Act.BUILD, 0)
    gallery.keys("8", "enter")
    gallery.at(Act.CALL)
    for name, picture in (("no-mat", GREY), ("half-seen", corner_of_mat())):
        camera.sees(replace(still, picture=picture, settle=Settle.LOST), refusal(picture))
        gallery.window.on_update(0.0)
        gallery.picture(f"camera-{name}")
    unplugged = InputError("Camera {number} gives no pictures any more: is it still plugged in?", number=0)
    camera.sees(TableSight(0, None, settle=Settle.LOST), unplugged)
    gallery.picture("camera-lost")
    camera.sees(replace(still, tiles=tiles(), differences=DIFFERENCES))
    gallery.picture("camera-differs")
    gallery.settings("differs")


def boards() -> Iterator[tuple[Image, Progress]]:
    """The board shown here and there."""
    collection, rng = Collection(), np.random.default_rng(3)
    for turn, (across, down, away) in enumerate(PLACES):
        at = board_pose(SIGHT.lens, (across, down), away, 0.5, 2.0 * turn)
        picture = np.repeat(board_seen(at, rng, lens=SIGHT.lens)[..., None], 3, axis=2)
        view = find_board(picture)
        assert view is not None
        collection = collection.with_view(view)
        yield (
            picture,
            Progress(
                picture=draw_board(picture, view, is_kept=True),
                collection=collection,
                advice=advice(collection, view),
                turn=turn_of(collection.views),
            ),
        )


def over_mat() -> Progress:
    """The camera over the mat, its lens only estimated."""
    view = find_mat(mat(), None)
    lens = view.sight.lens
    fit = fit_table(find_markers(mat()), lens, guessed=True)
    return Progress(Measured.TABLE, 1, draw_errors(mat(), lens, fit), table=fit, lens=lens, is_guessed=True)


def calibration(gallery: Gallery) -> None:
    """Led through the calibration of a camera: before it gives pictures, the lens, the mat, and what is refused."""
    work, desk = PosingWork(), gallery.window.desk
    screen = Calibrate(desk, cast(Any, work), lambda: None)
    gallery.window.begin(screen)

    def show(name: str, now: Progress) -> None:
        work.now = replace(now, number=work.now.number + 1)
        gallery.window.on_update(0.0)  # not every screen is shown in every size
        gallery.picture(f"calibrate-{name}")

    show("waiting", Progress())
    *_before, (_picture, lens) = boards()
    show("lens", lens)
    gallery.settings("calibrate")
    fit = CameraFit(SIGHT.lens, 0.31, 0.0042, 14, 36.0, ())
    slant = InputError(
        "All views show the board at nearly the same slant ({turn}° apart, {least}° are needed): tilt the board or the "
        "camera, or the focal length cannot be told from the distance.",
        turn="4",
        least="15",
    )
    show("refused", replace(lens, refusal=slant))
    show("lens-kept", replace(lens, fit=fit))
    gallery.keys("enter")
    show("no-mat", Progress(Measured.TABLE, 1, GREY, refusal=refusal(GREY)))
    show("mat", over_mat())
    gallery.keys("enter")
    gallery.picture("calibrate-done")


def many_cameras(gallery: Gallery, count: int = 3) -> None:
    """The menu before a match where several cameras are plugged in."""
    there = tuple(Camera(2 * number, "HD Pro Webcam C920") for number in range(count))
    cameras = Cameras(lambda: there, _nothing)
    start = Start(gallery.window.desk, MatchSettings(()), list, _nothing, _nothing, cameras)
    gallery.window.begin(start)
    gallery.act("menu")
    gallery.picture("menu-cameras")
    gallery.settings("menu-cameras")
    gallery.keys("escape")


def _nothing(_given: object) -> None:
    pass
