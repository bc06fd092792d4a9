"""Whole rounds of Evaluation Domino as films, and what must come of them when a camera watches: the proof of `watch`.

`filmed_rounds` makes films of every kind and says what came of them.

A film is made of a script: placements by hand, what is called and voted, a push and its fall by a run, an accident, a
tile that is moved behind the game's back. What people say is not in the film: it is told to the game when it asks.
"""

from __future__ import annotations

import io
import json
import math
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from game.core import Seat
from game.games.evaluation.moves import Accident, End, FallReport, Move, Push, Stand
from game.games.evaluation.numbers import NUMBERS
from game.games.evaluation.placements import at_end
from game.games.evaluation.rules import Evaluation
from game.games.evaluation.state import State, row_scene
from game.match.background import Tools
from game.match.history import CAMERA, Setup, checked_setup
from game.match.session import new_match
from game.table.axes import TableFrame
from game.table.eye import Reader
from game.table.follow import SpokenCommands, TableMatch
from game.table.hands import needed_hands
from game.table.news import AGREE, DISAGREE, News
from game.table.source import CameraTable
from game.text.lines import LineInput
from physics.engine import SINGLE_STEP, Settings, engine
from physics.engines import default_engine
from physics.line import Line
from physics.outcome import Outcome
from physics.scene import Finger, Scene
from physics.tiles import Stance
from vision.drawing.blocks import Block, blocks_of
from vision.drawing.footage import FILM, Footage, Image, moment, usual_sight
from vision.watching.settle import Kind

GAME = "evaluation"
CALM = 1.6  # s of film in which nothing moves, for the table to be read twice
LONG_CALM = 5.0  # s after a fall
STEP = 1 / 60  # s between two moments of a recorded fall
MAX_MOMENTS = 6  # of a fall that are painted
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

    def __init__(self, seed: int, moments: int) -> None:
        self.footage = Footage(usual_sight(), seed=seed)
        self._moments = moments
        self.frame = TableFrame(-35.0 + seed % 5, 8.0, math.radians(-12 + 5 * (seed % 4)))
        self.game = Evaluation()
        self.state: State = self.game.start(2, {"rounds": 1}, seed)

    def blocks(self, state: State) -> list[Block]:
        """The row as it stands on the mat."""
        places = tuple(self.frame.on_mat(tile).placement for tile in state.row)
        return blocks_of(Scene(Line(NUMBERS.tiles, places)))

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
        every = max(1, round(1 / FILM.rate / STEP))
        chosen = [*range(0, len(motion.times), every), len(motion.times) - 1]
        turn, place = self.frame.turn, (self.frame.x, self.frame.y)
        moments = [moment(scene.line, motion, index, turn, place) for index in chosen]
        return outcome, _distinct(moments, self._moments)


def _distinct(moments: Sequence[list[Block]], most: int) -> list[list[Block]]:
    """Without moments in which hardly anything has moved since the one before, and no more than so many different."""
    found = [moments[0]]
    for blocks in moments[1:]:
        if max(math.dist(a.centre, b.centre) for a, b in zip(blocks, found[-1], strict=True)) > 0.4:
            found.append(blocks)
    every = max(1, math.ceil(len(found) / most))
    return [*(blocks for blocks in found[::every] for _time in range(every)), moments[-1]]


def film_round(kind: str, path: Path, seed: int = 0, *, placements: int = 3, moments: int = MAX_MOMENTS) -> Filmed:
    """Films a round of that kind, one of KINDS: so many tiles placed, so many pictures of the fall painted.

    The same seed gives the same film.
    """
    stage = _Set(seed, moments)
    footage, game = stage.footage, stage.game
    values = [8, 5, 9] if seed % 2 else [7, 5, 9]
    ends = (End.LAST, End.FIRST, End.LAST)
    picture = footage.still(stage.blocks(stage.state))
    footage.hold(picture, CALM)
    events: list[tuple[str, int | None]] = [("placed", NUMBERS.start_tile)]
    moves: list[tuple[Seat, str, int | None]] = []
    says: list[str] = []
    count = min(2, placements) if kind == ACCIDENT else placements
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


# What comes of a film


@dataclass(frozen=True)
class Watched:
    """What a camera made of a film."""

    filmed: Filmed
    lines: tuple[Mapping[str, Any], ...]  # as `watch --json` prints them
    moves: tuple[tuple[Seat, str, int | None], ...]
    chips: tuple[int, ...]
    seconds: float

    @property
    def events(self) -> tuple[tuple[str, int | None], ...]:
        """What happened on the table."""
        return tuple((line["event"], line.get("value")) for line in self.lines if line["event"] in TABLE_EVENTS)

    @property
    def differed(self) -> tuple[bool, ...]:
        """How table and game came to disagree, and to agree again."""
        return tuple(line["event"] == DISAGREE for line in self.lines if line["event"] in (DISAGREE, AGREE))

    def faults(self) -> list[str]:
        """Everything that is not as it must be."""
        wanted = self.filmed
        pairs: dict[str, tuple[object, object]] = {
            "events": (_in_order(self.events), _in_order(wanted.events)),
            "moves": (self.moves, wanted.moves),
            "chips": (self.chips, wanted.chips),
            "disagreements": (self.differed, (True, False) if wanted.differs else ()),
        }
        return [f"{name}: {found} instead of {right}" for name, (found, right) in pairs.items() if found != right]


TABLE_EVENTS = frozenset(kind.value for kind in Kind)


def _in_order(events: Sequence[tuple[str, int | None]]) -> list[list[tuple[str, int | None]]]:
    """Tiles that fell together in the order of their values."""
    return [sorted(group, key=str) for _kind, group in groupby(events, key=lambda event: event[0])]


class _Nobody(Executor):
    """Makes no forecasts."""

    def submit(self, *_given: Any, **_named: Any) -> Future[Any]:
        return Future()


def watch_film(filmed: Filmed, reader: Reader | None = None) -> Watched:
    """Has the film watched as `watch` does it, the match's log beside it; `reader`: instead of the usual one."""
    begun = time.perf_counter()
    table = CameraTable(str(filmed.path), hands=needed_hands(GAME), in_game=True, reader=reader)
    setup = checked_setup(Setup(GAME, filmed.players, 1, {"rounds": 1}, table=CAMERA))
    lines: list[str] = []
    path = filmed.path.with_suffix(".topple")
    with new_match(path, setup, Tools(executor=_Nobody(), judge=table.camera), replace_file=True) as session:
        try:
            said = SpokenCommands(LineInput(io.StringIO("\n".join(filmed.says))), waits=True)
            TableMatch(table.camera, News(as_json=True, out=lines.append), session, said).run(table.frames)
        finally:
            table.camera.close()
            table.frames.close()
        made = (_move(each.seat, each.move) for each in session.history.moves)
        moves = tuple(move for move in made if move is not None)
        chips = session.state.chips
    return Watched(filmed, tuple(map(json.loads, lines)), moves, chips, time.perf_counter() - begun)


def _move(seat: Seat, move: Move) -> tuple[Seat, str, int | None] | None:
    """A move that comes from the table; None for what people say."""
    match move:
        case Stand():
            return seat, "stand", move.placement.value
        case Push():
            return seat, "push", None
        case FallReport():
            return seat, "fell" if move.fell else "stood", None
        case Accident():
            return seat, "accident", move.seat
    return None


def filmed_rounds(seed: int, folder: Path, kinds: Sequence[str] = KINDS) -> list[Watched]:
    """Films of these kinds and what came of them; the films are written to the folder."""
    return [watch_film(film_round(kind, folder / f"{kind}-{seed}.avi", seed)) for kind in kinds]
