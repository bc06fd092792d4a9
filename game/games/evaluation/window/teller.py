"""What a window of Evaluation Domino tells and shows of a match, one thing after another.

Some moments are to be seen first: the countdown before the votes, the fall before its outcome, the score. They stand in
one line with what is told, and nothing behind them is told before they have been seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from game.film.playback import Playback, playback_in
from game.games.evaluation.state import Phase, State
from game.games.evaluation.window.model import Act, Cue, revealed_in, score_in
from game.match.history import AppliedMove
from game.match.session import Session
from game.match.tabletop import scene_key
from game.ui.teller import Happening, Teller
from physics.errors import SceneError


class EvaluationTeller(Teller[Cue]):
    """Turns entries of the log into happenings and cues, as a spectator may know them."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._fallen: Playback | None = None  # the last fall, until it is scored

    @property
    def cue(self) -> Cue | None:
        """What is to be seen now; None: the match itself."""
        first = self.first
        if first is None:
            return None
        cue, sentences = first
        return cue if cue.score is None else replace(cue, score=replace(cue.score, sentences=sentences))

    def line_up(self, happening: Happening, made: AppliedMove | None) -> Iterator[Happening | Cue]:
        """The countdown before its votes, the fall before what is said of it, the score behind it."""
        if made is None:
            yield happening
        elif happening.kind in ("outcome", "knocked"):
            self._fallen = self._playback(happening.kind, happening.data)
            if self._fallen is not None:
                scene = happening.data["scene"] if happening.kind == "outcome" else ""
                yield Cue(Act.FALLING, made.before, scene, _sides(made.before), self._fallen)
            yield happening
        else:
            yield from self._step(happening, made)

    def _step(self, happening: Happening, made: AppliedMove) -> Iterator[Happening | Cue]:
        before, row = made.before, self._history.scene_before(made)
        revealed = revealed_in(happening)
        if revealed is not None:
            yield Cue(Act.COUNTDOWN, before, votes=revealed)
        yield happening
        score = score_in(happening.data.get("events", ()), _sides(before), happening.sentences)
        if score is not None:
            scene = "" if score.fell is None or row is None else scene_key(row)
            yield Cue(Act.SCORED, before, scene, score.votes, self._fallen, score)
            self._fallen = None

    def _playback(self, kind: str, data: Mapping[str, Any]) -> Playback | None:
        """The fall, slow at its weakest gap; None where it was not recorded."""
        try:
            playback = playback_in(data)
        except SceneError as error:  # of a camera, say: the match goes on without the picture
            self.trouble(error)
            return None
        if playback is None or kind == "knocked":
            return playback
        return playback.slowed(self._history.forecasts.get(data["scene"], {}).get("weakest_at"))


def _sides(state: State) -> tuple[str | None, ...]:
    """The votes as they may be told; none before they are all open."""
    if state.phase not in (Phase.PUSH, Phase.FALL):
        return ()
    return tuple("success" if vote else "failure" for vote in state.votes)
