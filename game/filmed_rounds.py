"""Whole rounds of Evaluation Domino as films, and what must come of them when a camera watches: the proof of `watch`.

A film is made of a script: placements by hand, what is called and voted, a push and its fall by a run, an accident, a
tile that is moved behind the game's back. What people say is not in the film: it is told to the game when it asks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from game.core import Seat
from game.rules.evaluation import Evaluation
from game.rules.evaluation_data import NUMBERS
from game.rules.evaluation_geometry import at_end
from game.rules.evaluation_moves import End, Stand
from game.rules.evaluation_state import State, row_scene
from game.table_frame import TableFrame
from physics.engine import SINGLE_STEP, Settings, default_engine, engine
from physics.line import Line
from physics.outcome import Outcome
from physics.scene import Finger, Scene
from physics.tiles import Stance
from vision.footage import RATE, Footage, Image, moment, usual_sight
from vision.synth import Block, blocks_of

CALM = 1.6  # s of film in which nothing moves, for the table to be read twice
CLEARED = 2.4  # s likewise after a fall: what lies there is larger than a hand for a while
LONG_CALM = 5.0  # s after a fall
STEP = 1 / 60  # s between two moments of a recorded fall
ROUND, ACCIDENT, MOVED = KINDS = ("round", "accident", "moved")


@dataclass(frozen=True)
class Filmed:
    """A film and what must come of it."""

    kind: str
    path: Path
    players: tuple[str, ...]
    says: tuple[str, ...]  # seat: move, as `watch` reads it
    events: tuple[tuple[str, int | None], ...]  # what happens on the table: kind, value
    moves: tuple[tuple[Seat, str, int | None], ...]  # of the game, by the table: seat, kind, value
    chips: tuple[int, ...]
    fell: tuple[bool, ...] = ()  # by place in the row, where it was pushed
    differs: bool = False  # whether table and game disagree for a while


class _Set:
    """The film set: a game's tiles on the mat, turned and moved somewhere."""

    def __init__(self, seed: int, size: tuple[int, int]) -> None:
        self.footage = Footage(usual_sight(size), seed=seed)
        self.frame = TableFrame(-35.0 + seed % 5, 8.0, math.radians(-12 + 5 * (seed % 4)))
        self.game = Evaluation()
        self.state: State = self.game.start(2, {"rounds": 1}, seed)

    def blocks(self, state: State) -> list[Block]:
        """The row as it stands on the mat."""
        places = []
        for tile in state.row:
            at = self.frame.on_mat(tile)
            places.append(replace(tile, x=at.x / 1e3, y=at.y / 1e3, yaw=math.radians(at.yaw)))
        return blocks_of(Scene(Line(NUMBERS.tiles, tuple(places))))

    def at(self, stand: Stand) -> tuple[float, float]:
        """Where on the mat the tile is stood."""
        place = self.frame.on_mat(stand.placement)
        return place.x, place.y

    def fall(self, scene: Scene) -> tuple[Outcome, list[list[Block]]]:
        """What becomes of the scene, and its moments on the mat, as many as the film has."""
        settings = Settings(step=SINGLE_STEP, record=STEP, to_rest=True)
        outcome = engine(default_engine()).run([scene], settings)[0]
        motion = outcome.trajectory
        assert motion is not None
        every = max(1, round(1 / RATE / STEP))
        chosen = [*range(0, len(motion.times), every), len(motion.times) - 1]
        turn, place = self.frame.turn, (self.frame.x, self.frame.y)
        moments = [moment(scene.line, motion, index, turn, place) for index in chosen]
        return outcome, _distinct(moments)


def _distinct(moments: Sequence[list[Block]]) -> list[list[Block]]:
    """Without moments in which hardly anything has moved since the one before."""
    found = [moments[0]]
    for blocks in moments[1:]:
        if max(math.dist(a.centre, b.centre) for a, b in zip(blocks, found[-1], strict=True)) > 0.4:
            found.append(blocks)
    return [*found, moments[-1]]


def film_round(kind: str, path: Path, seed: int = 0, size: tuple[int, int] = (640, 480)) -> Filmed:
    """Films a round of that kind: one of KINDS. The same seed gives the same film."""
    stage = _Set(seed, size)
    footage, game = stage.footage, stage.game
    values = [8, 5, 9] if seed % 2 else [7, 5, 9]
    ends = (End.LAST, End.FIRST, End.LAST)
    picture = footage.still(stage.blocks(stage.state))
    footage.hold(picture, CALM)
    events: list[tuple[str, int | None]] = [("placed", NUMBERS.start_tile)]
    moves: list[tuple[Seat, str, int | None]] = []
    says: list[str] = []
    count = 2 if kind == ACCIDENT else 3
    for number, (value, end) in enumerate(zip(values[:count], ends, strict=False)):
        state = stage.state
        stand = at_end(state.row, value, Stance.UPRIGHT, end, 0.018 + 0.002 * (seed % 3), math.radians(4 * number))
        stage.state = game.apply(state, state.active, stand)[0]
        after = footage.still(stage.blocks(stage.state))
        footage.hand(picture, after, stage.at(stand))
        footage.hold(after, CALM)
        events += [("hand in view", None), ("hand out of view", None), ("placed", value)]
        moves.append((state.active, "stand", value))
        picture = after
        other = 1 - state.active
        if number < count - 1:
            says.append(f"{other}: pass")
            stage.state = game.apply(stage.state, other, game.read("pass"))[0]
    filmed = Filmed(kind, path, ("Ann", "Ben"), (), (), (), ())
    if kind == ACCIDENT:
        filmed = _accident(stage, picture, events, moves)
    else:
        if kind == MOVED:
            picture = _moved(stage, picture, events)
        filmed = _pushed(stage, picture, events, moves, says, kind)
    footage.write(path)
    return replace(filmed, path=path, says=(*says, *filmed.says))


def _pushed(
    stage: _Set,
    picture: Image,
    events: list[tuple[str, int | None]],
    moves: list[tuple[Seat, str, int | None]],
    says: list[str],
    kind: str,
) -> Filmed:
    """A call, the votes, the push and what falls."""
    state, game, footage = stage.state, stage.game, stage.footage
    other = 1 - state.active
    texts = [f"{other}: call", f"{state.active}: vote success", f"{other}: vote failure"]
    for text in texts:
        seat, _colon, move = text.partition(": ")
        stage.state = game.apply(stage.state, int(seat), game.read(move))[0]
    scene = row_scene(stage.state)
    outcome, moments = stage.fall(scene)
    pushed = stage.frame.on_mat(scene.line.placements[scene.pushed])
    pictures = [footage.still(blocks) for blocks in moments]
    footage.hand(picture, pictures, (pushed.x, pushed.y))
    footage.hold(pictures[-1], LONG_CALM)
    fallen = [value for value, fell in zip(scene.line.values, outcome.fallen, strict=True) if fell]
    events += [("hand in view", None), ("hand out of view", None), *(("fallen", value) for value in fallen)]
    moves += [(state.active, "push", None), (-1, "fell" if outcome.all_fell else "stood", None)]
    stage.state = game.apply(stage.state, state.active, game.read("push"))[0]
    standing = [value for value, fell in zip(scene.line.values, outcome.fallen, strict=True) if not fell]
    found = "fell" if not standing else "stood " + " ".join(map(str, standing))
    stage.state = game.apply(stage.state, -1, game.read(found))[0]
    return Filmed(
        kind,
        Path(),
        ("Ann", "Ben"),
        tuple(texts),
        tuple(events),
        tuple(moves),
        stage.state.chips,
        outcome.fallen,
        kind == MOVED,
    )


def _accident(
    stage: _Set, picture: Image, events: list[tuple[str, int | None]], moves: list[tuple[Seat, str, int | None]]
) -> Filmed:
    """The last player's sleeve knocks the row over before anybody has called."""
    state, game, footage = stage.state, stage.game, stage.footage
    line = Line(NUMBERS.tiles, state.row)
    scene = Scene(line, NUMBERS.table, Finger(math.radians(6.0), "last"))
    outcome, moments = stage.fall(scene)
    place = stage.frame.on_mat(state.row[-1])
    pictures = [footage.still(blocks) for blocks in moments]
    footage.hand(picture, pictures, (place.x, place.y))
    footage.hold(pictures[-1], LONG_CALM)
    fallen = [value for value, fell in zip(line.values, outcome.fallen, strict=True) if fell]
    events += [("hand in view", None), ("hand out of view", None), *(("fallen", value) for value in fallen)]
    moves.append((-1, "accident", state.active))
    stage.state = game.apply(state, -1, game.read(f"accident {state.active}"))[0]
    return Filmed(ACCIDENT, Path(), ("Ann", "Ben"), (), tuple(events), tuple(moves), stage.state.chips, outcome.fallen)


def _moved(stage: _Set, picture: Image, events: list[tuple[str, int | None]]) -> Image:
    """Somebody moves a tile and, when the table and the game disagree, sets it right again."""
    state, footage = stage.state, stage.footage
    tile = state.row[0]
    away = replace(tile, x=tile.x - 0.004, y=tile.y + 0.012)
    wrong = footage.still(stage.blocks(replace(state, row=(away, *state.row[1:]))))
    place = stage.frame.on_mat(tile)
    for before, after in ((picture, wrong), (wrong, picture)):
        footage.hand(before, after, (place.x, place.y))
        footage.hold(after, CALM)
        events += [("hand in view", None), ("hand out of view", None), ("moved", tile.value)]
    return picture
