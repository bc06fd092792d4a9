"""Published events as sentences: what players see after every move, and what a log is told as."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from game.match.history import Setup
from game.match.ports import Difference, RigStage, RigState, differences_in
from game.match.publish import Public, view_after
from game.match.site import OUT_OF_LEVEL
from game.text.game_text import sentence_of
from game.text.names import listed, shown_names
from game.text.report import forecast_in_short, stuck_words
from game.words import _, figures, number
from physics.harmless import harmless

Data = Mapping[str, Any]


class Story:
    """Tells one match to people who see what a spectator sees, with names for seats, from its first event on."""

    def __init__(self, setup: Setup) -> None:
        self.game = setup.game
        self.names = shown_names(setup.names)
        self._view: Data = {}  # all that is known, as far as the match was told
        self._forecast_told: set[str] = set()  # pushed rows whose forecast was told
        self._pushed: set[str] = set()
        self._differs = False  # what a camera sees is another row than the game has
        self._rig = RigStage.READY
        self._tilt: tuple[float, ...] = ()  # degrees, of the table

    def tell(self, events: Sequence[Public]) -> Iterator[tuple[float, str]]:
        """When and what, for every event of the match that is worth a sentence; see `tell_each`."""
        for (t, _kind, _data), texts in self.tell_each(events):
            for text in texts:
                yield t, text

    def tell_each(self, events: Sequence[Public]) -> Iterator[tuple[Public, tuple[str, ...]]]:
        """Every event and its sentences.

        The forecast of a pushed row is told with its fall, if it is among the events, and else when it comes. Others
        are hints, for who asks for one.
        """
        forecasts = {data["scene"]: data for _t, kind, data in events if kind == "forecast"}
        for event in events:
            yield event, tuple(map(harmless, self._told(event[1], event[2], forecasts)))

    def _told(self, kind: str, data: Data, forecasts: Mapping[str, Data]) -> Iterator[str]:
        match kind:
            case "step":
                yield from self._step(data)
            case "outcome":
                self._pushed.add(data["scene"])
                yield from fall_words(data)
                if data["scene"] in forecasts:
                    yield from self._forecast(forecasts[data["scene"]])
            case "forecast" if data["scene"] in self._pushed:
                yield from self._forecast(data)
            case "sight":
                yield from self._sight(data)
            case "rig":
                yield from self._rig_at(RigState(RigStage(data["stage"]), 0.0, data["trouble"]))
            case "site":
                was, self._tilt = self._tilt, tuple(data["tilt"])
                yield from level_words(*self._tilt) if self._tilt != was else ()
            case "knocked":
                yield _("Clumsy hands: {name} touches the row.").format(name=self.names[data["seat"]])
                yield from fall_words(data)

    def _forecast(self, data: Data) -> Iterator[str]:
        if data["scene"] not in self._forecast_told:
            self._forecast_told.add(data["scene"])
            yield _("Forecast: {forecast}").format(forecast=forecast_words(data))

    def _sight(self, data: Data) -> Iterator[str]:
        """That the table differs from the game, and that it does no more."""
        was, self._differs = self._differs, data["sight"] == "differs" or (self._differs and data["sight"] == "moving")
        if data["sight"] == "differs":
            yield _("The table and the game disagree.")
            yield from (difference_words(each) for each in differences_in(data))
        elif was and not self._differs:
            yield _("The table and the game agree again.")

    def _rig_at(self, state: RigState) -> Iterator[str]:
        """What the rig is at, and that it is no longer away."""
        was, self._rig = self._rig, state.stage
        if was is RigStage.FAULT and state.stage is RigStage.READY:
            yield _("The rig is ready again.")
        yield from rig_words(state)

    def _step(self, data: Data) -> Iterator[str]:
        self._view = view_after(self._view, data)
        if "undo" in data:
            yield _("{name} takes the last move back.").format(name=self.names[data["undo"]["seat"]])
        if "correction" in data:
            yield _("{name} corrects what was said about the table.").format(
                name=self.names[data["correction"]["seat"]]
            )
        for event in data["events"]:
            said = sentence_of(self.game, event["kind"], event["data"], self._view, self.names)
            if said:
                yield said


def forecast_words(data: Data) -> str:
    """How likely the row was to fall, how sure that is, and where it is weakest."""
    low, high = data["interval"]
    said = forecast_in_short(data["probability"], (low, high)) + "."
    at, values = data.get("weakest_at"), data["values"]
    if at is None:
        return f"{said} {stuck_words(values, data['tile_falls'], data['pushed'], at)}".rstrip()
    weak = _("Weakest gap: between {one} and {other}.").format(one=values[at], other=values[at + 1])
    return f"{said} {weak}"


def fall_words(data: Data) -> Iterator[str]:
    """Which tile fell when, and what did not fall; nothing where only people looked."""
    values = [tile["value"] for tile in data["tiles"]]
    falls = sorted((time, value) for time, value in zip(data["fell_at"], values, strict=True) if time is not None)
    if falls:
        times = listed([_("{value} after {time} s").format(value=value, time=number(time, 2)) for time, value in falls])
        yield _("It falls: {times}.").format(times=times)
    leaning = [value for value, fate in zip(values, data["fates"] or (), strict=False) if fate == "leaning"]
    if leaning:
        yield _("Leaning but not fallen: {values}.").format(values=listed(leaning))


def difference_words(each: Difference) -> str:
    """In what the table differs from the game."""
    match each.kind:
        case "missing":
            said = _("The tile {value} is not seen in the row.")
        case "extra" if each.value is None:
            said = _("A tile stands there that the game does not know.")
        case "extra":
            said = _("The tile {value} stands there, but is not in the game's row.")
        case "moved":
            said = _("The tile {value} stands {by} mm away from its place.")
        case "turned":
            said = _("The tile {value} is turned {by}° away from how it should stand.")
        case _:
            said = _("The tile {value} stands upright instead of on its side, or the other way round.")
    return said.format(value=each.value, by=f"{each.by:.0f}")


def rig_words(state: RigState) -> Iterator[str]:
    """What the rig is at, where people should know it."""
    match state.stage:
        case RigStage.COUNTING:
            yield _("The rig is about to push the row: hands away from the table.")
        case RigStage.STOPPED:
            yield _("The rig was stopped.")
        case RigStage.FAULT:
            yield _("The rig cannot push: {trouble}").format(trouble=state.trouble)


def level_words(about_x: float, about_y: float) -> Iterator[str]:
    """A sentence about a table that is out of level, degrees; none about one that is not."""
    out = math.hypot(about_x, about_y)
    if out > OUT_OF_LEVEL:
        yield _("The table is out of level by {angle}°.").format(angle=number(out, 1))


def stamped(t: float, decimals: int = 1) -> str:
    """The time of play as people read it: minutes and seconds."""
    minutes, seconds = divmod(round(t, decimals), 60)
    return figures(f"{int(minutes)}:{seconds:0{3 + decimals}.{decimals}f}")
