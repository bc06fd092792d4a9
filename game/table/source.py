"""The camera that was asked for: its source, its lens and its mat, and a table of its own where there is none."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from calibration.board import MAT
from calibration.files import LENS, kept_lens, read_lens, read_mat
from calibration.lens import Lens
from calibration.store import newest
from game.table.camera import TableCamera
from game.table.eye import Reader
from game.table.hands import TableHands
from game.table.synthetic import SyntheticTable
from physics.errors import InputError
from physics.tiles import TileSet
from vision.camera.frames import Frames
from vision.camera.sources import SYNTHETIC, source_of
from vision.watching.live import LiveReader

FIRST = 8.0  # s to wait for the first picture


class CameraTable:
    """A camera over a table, its pictures not yet taken in: `camera.start(frames)`, or feed `camera.eye`."""

    def __init__(
        self,
        source: str,
        camera_file: Path | None = None,
        table_file: Path | None = None,
        *,
        hands: TableHands,
        in_game: bool,
        stands: bool = False,
        tiles: TileSet | None = None,
        reader: Reader | None = None,
        tell: Callable[[InputError], None] = lambda _reason: None,
    ) -> None:
        """`hands`: of the game whose tiles lie there. `tiles`: another set than that game's. `stands`: a synthetic
        table shows one row all the time. `tell` hears why a kept calibration is not used.

        InputError when the source or a file is none; MissingError without OpenCV."""
        synthetic = SyntheticTable(hands, in_game=in_game or stands) if source == SYNTHETIC else None
        if synthetic is not None and stands:
            synthetic.stand_row()
        self.source = source_of(source, None if synthetic is None else synthetic.pictures)
        mat = MAT if table_file is None else read_mat(table_file)
        lens = partial(_lens, self.source.name, tell) if camera_file is None else read_lens(camera_file)
        shows = synthetic.show if synthetic is not None else None
        reader = reader or LiveReader(tiles or hands.tiles, lens, mat)
        self.camera = TableCamera(reader, is_live=self.source.is_live, shows=shows)
        self.frames = Frames(self.source)

    def begin(self) -> TableCamera:
        """The camera with its thread, once there is a picture; InputError when there comes none."""
        self.camera.start(self.frames)
        try:
            view = self.camera.eye.wait(lambda view: view.picture is not None or view.is_over, FIRST)
            if view.picture is None and view.trouble is not None:
                raise view.trouble
        except BaseException:
            self.camera.close()
            raise
        return self.camera


def _lens(device: str, tell: Callable[[InputError], None], size: tuple[int, int]) -> Lens | None:
    """The lens that was measured of this camera at this size; None: its focal length is estimated from the mat."""
    if newest(LENS, device) is None:
        return None
    try:
        return kept_lens(device, size)[0]
    except InputError as reason:  # one that does not fit must not keep people from playing
        tell(reason)
        return None
