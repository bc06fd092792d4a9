"""A camera that sees hands, in the window: who is asked to judge, what is dragged, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from game import words
from game.core import RuleError
from game.games.evaluation.window.controller import Controller
from game.match.history import Setup
from game.match.ports import Settle, TableSight
from game.match.session import Session
from game.pictures.theme import TEXT_SIZES, sizes_for
from game.ui.camera.picture import tile_at
from game.ui.camera.realtable import Camera as Panel
from game.ui.camera.realtable import rooms
from game.ui.camera.watching import said
from game.ui.teller import TROUBLE
from game.ui.toolkit.layout import Rect
from game.ui.watches import RealTable, Watches
from physics.outcome import Outcome
from physics.scene import Scene
from tests.game.games.evaluation.window.test_controller import FRAME
from tests.game.played import Never
from tests.game.ui.camera.test_realtable import PICTURE, TILE, Camera

ROOM = Rect(100, 50, 400, 700)
SIZES = sizes_for(1280, 800, TEXT_SIZES[0])
SIGHT = TableSight(1, PICTURE, (TILE,))


class Hands(Camera):
    """Acts as it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.acted = 0
        self.dragged: list[tuple[int, tuple[float, float]]] = []
        self.refusal: RuleError | None = None

    def judge(self, scene: Scene) -> Outcome:
        raise AssertionError

    def act(self, session: Session) -> None:
        self.acted += 1
        if self.refusal is not None:
            refusal, self.refusal = self.refusal, None
            raise refusal

    def drag(self, session: Session, value: int, by: tuple[float, float]) -> None:
        self.dragged.append((value, by))


def test_the_match_follows_the_hands(tmp_path: Path) -> None:
    words.use("en")
    hands = Hands()
    watches = Watches(table=hands, hands=hands)
    path = tmp_path / "m.topple"
    controller = Controller.begin(
        path, Setup("evaluation", ("Ann", "Bob"), 7, {"rounds": 1}, table="camera"), Never(), watches=watches
    )
    assert controller.update(FRAME) == () and hands.acted == 1
    hands.refusal = RuleError("The tile {value} is not seen on the table.", value=8)
    (trouble,) = controller.update(FRAME)
    assert trouble.kind == TROUBLE and trouble.sentences == ("The tile 8 is not seen on the table.",)
    assert controller.drag_tile(6, (0.1, 0.0)) and hands.dragged == [(6, (0.1, 0.0))]
    controller.close()
    again = Controller.resume(path, Never(), watches=watches)
    again.update(FRAME)
    assert again.screen().real is not None
    again.close()


def test_a_camera_is_of_no_use_at_another_table(tmp_path: Path) -> None:
    hands = Hands()
    watches = Watches(table=hands, hands=hands)
    setup = Setup("evaluation", ("Ann", "Bob"), 7, {"rounds": 1}, table="hand")
    controller = Controller.begin(tmp_path / "m.topple", setup, Never(), watches=watches)
    controller.update(FRAME)
    assert hands.acted == 0 and controller.screen().real is None and not controller.drag_tile(6, (0.1, 0.0))
    controller.close()


def test_a_tile_is_dragged_in_the_picture() -> None:
    shown = RealTable(SIGHT, None)
    panel, room = Panel(), rooms(ROOM, SIZES)[0]
    x, y = room.middle
    assert tile_at(SIGHT, room, x, room.top - 20) is None and tile_at(SIGHT, room, 0, 0) is None
    assert not panel.press(shown, ROOM, SIZES, 0, 0) and panel.release() is None
    inside = next(at for at in range(int(room.y), int(room.top)) if tile_at(SIGHT, room, x, at) == 6)
    assert panel.press(shown, ROOM, SIZES, x, inside + 20)
    before = panel.key(shown)
    assert panel.drag(shown, ROOM, SIZES, x + 40, inside)
    moved = panel.sight(shown)
    assert moved is not None and moved.tiles[0].corners[0][0] > TILE.corners[0][0] and panel.key(shown) != before
    value, (dx, dy) = panel.release() or (0, (0.0, 0.0))
    assert value == 6 and dx == pytest.approx(40 / room.width) and dy > 0  # down in the window is down in the picture
    assert not panel.drag(shown, ROOM, SIZES, x, y)


def test_the_watch_window_says_what_goes_on() -> None:
    words.use("en")
    assert said(SIGHT)[:2] == ["The table is still.", "1 tile is seen."] and "dragged" in said(SIGHT)[2]
    assert said(TableSight(1, PICTURE)) == ["The table is still.", "0 tiles are seen."]
    assert said(TableSight(2, None, settle=Settle.LOST)) == ["The camera does not see the table."]
