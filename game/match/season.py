"""Many logs together: how well the forecasts came true, and who won what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from game.match.history import MatchHistory
from game.match.reading import read_match
from game.match.tabletop import scene_key
from physics.errors import ToppleError
from physics.record import header_in, read_bytes
from physics.score import Bin, Pair, binned, brier, calibration_error, perfect_error


@dataclass(frozen=True, slots=True)
class Pushed:
    """A row that was pushed."""

    file: str
    values: tuple[int, ...]
    forecast: float | None  # None: the log has none
    fell: bool


@dataclass(frozen=True, slots=True)
class Standings:
    """What one player has in one game over all finished matches."""

    game: str
    name: str
    matches: int
    wins: int  # shared ones too, and those of a team
    score: float  # of all seats at which that name sat


@dataclass(frozen=True, slots=True)
class Season:
    """What the logs hold together."""

    files: int
    finished: int
    pushes: tuple[Pushed, ...]
    standings: tuple[Standings, ...]  # by game, then the most wins and the highest score first
    has_tiles: bool  # whether a row is pushed, and forecast, in any of the games

    @property
    def pairs(self) -> list[Pair]:
        """Forecasts with what came of them."""
        return [(push.forecast, push.fell) for push in self.pushes if push.forecast is not None]

    @property
    def brier(self) -> float | None:
        """The Brier score; None without a forecast."""
        return brier(self.pairs) if self.pairs else None

    @property
    def calibration_error(self) -> float | None:
        """The expected calibration error; None without a forecast."""
        return calibration_error(self.pairs) if self.pairs else None

    @property
    def by_chance(self) -> float | None:
        """The calibration error that as many perfect forecasts would have; None without a forecast."""
        return perfect_error([forecast for forecast, _fell in self.pairs]) if self.pairs else None

    @property
    def bins(self) -> tuple[Bin, ...]:
        """The reliability diagram in numbers."""
        return binned(self.pairs)


def season_of(paths: Iterable[Path]) -> Season:
    """The logs together, each file once; SceneError with file and line when one is damaged or no match."""
    histories = [(path, _history(path)) for path in {path.resolve(): path for path in paths}.values()]
    pushes = [push for path, history in histories for push in pushes_of(path.name, history)]
    finished = [history for _path, history in histories if history.game.result(history.state) is not None]
    has_tiles = any(history.tabletop is not None for _path, history in histories)
    return Season(len(histories), len(finished), tuple(pushes), _standings(finished), has_tiles)


def is_run(path: Path) -> bool:
    """Whether the file is the log of a run, not of a match; False as well when it is neither."""
    try:
        return header_in(read_bytes(path).partition(b"\n")[0], str(path)).get("kind") == "run"
    except ToppleError:
        return False


def _history(path: Path) -> MatchHistory:
    return read_match(path).history


def pushes_of(file: str, history: MatchHistory) -> list[Pushed]:
    """Every push of a match that counts, with the forecast of that very row."""
    tabletop = history.tabletop
    if tabletop is None:
        return []
    found = []
    for made in history.moves:
        scene = history.scene_before(made) if tabletop.is_finding(made.move) else None
        if scene is not None:
            forecast = history.forecasts.get(scene_key(scene))
            probability = None if forecast is None else float(forecast["probability"])
            found.append(Pushed(file, scene.line.values, probability, tabletop.fell(made.move)))
    return found


def _standings(finished: Sequence[MatchHistory]) -> tuple[Standings, ...]:
    totals: dict[tuple[str, str], tuple[int, int, float]] = {}
    for history in finished:
        result = history.game.result(history.state)
        assert result is not None
        names = history.setup.names
        for name in dict.fromkeys(names):  # bots of one strength may sit at several seats
            matches, wins, score = totals.get((history.setup.game, name), (0, 0, 0.0))
            won = any(names[seat] == name for seat in result.winners)
            scored = sum(result.scores[seat] for seat, other in enumerate(names) if other == name)
            totals[history.setup.game, name] = (matches + 1, wins + won, score + scored)
    found = [Standings(game, name, *numbers) for (game, name), numbers in totals.items()]
    return tuple(sorted(found, key=lambda each: (each.game, -each.wins, -each.score, each.name)))
