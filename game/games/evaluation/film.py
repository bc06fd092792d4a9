"""How a moment of Evaluation Domino looks in replays and films: the row on the table, and who has how many chips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from game.film.boxes import TileBox, box_of
from game.film.look import Picture
from game.games.evaluation.placements import box
from game.games.evaluation.state import Phase
from game.games.evaluation.text.row import row_in
from game.games.evaluation.window.model import score_in
from game.words import _, plural
from physics.line import Placement

Data = Mapping[str, Any]


class EvaluationFilm:
    """See `game.film.look.GameFilm` for what each method promises."""

    def picture(self, view: Data, events: Sequence[Data], lying: tuple[TileBox, ...]) -> Picture:
        """The row as it stands; at the end as it fell, since nobody sets it up again."""
        standing = tuple(map(_standing, row_in(view)))
        score = score_in(events, (), ())
        return Picture(
            boxes=lying if lying and view["phase"] == Phase.OVER.value else standing,
            scores=tuple(view["chips"]),
            gained=() if score is None else score.gained,
            round=view["round"],
        )

    def heading(self, view: Data) -> str:
        """The round, or the one that ends a tie."""
        return _("Extra round") if view["contenders"] else _("Round {round}").format(round=view["round"])

    def score(self, points: int) -> str:
        """Chips."""
        return plural("{count} chip", "{count} chips", points)


@lru_cache(maxsize=256)
def _standing(tile: Placement) -> TileBox:
    """The tile as it stands; most of a row stands as it stood the step before."""
    return box_of(box(tile), tile.value)


FILM = EvaluationFilm()
