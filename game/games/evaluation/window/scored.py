"""What came of a push or an accident: who takes how many chips and why, and what the forecast was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from game.games.evaluation.window.match_paint import NAME_SHRINK, in_pieces, paint_token
from game.games.evaluation.window.model import Act, Score, Screen
from game.pictures.theme import SIGNS, Palette, Sizes, faded, mixed
from game.text.names import listed
from game.text.report import forecast_word, percent, percents, stuck_words, with_capital
from game.ui.toolkit.layout import Rect
from game.ui.toolkit.paint import Painter
from game.ui.toolkit.widget_paint import paint_panel
from game.words import _

FORECAST_HEIGHT = 150  # units that a forecast is high at most


def why(score: Score, shown: Screen) -> str:
    """What happened, and what that means for the chips."""
    if score.clumsy is not None:
        name = shown.names[score.clumsy]
        said = [_("{name} knocked the row over by accident: every other player takes one chip.").format(name=name)]
        if shown.playback is not None:
            fell = [
                tile.value
                for tile, t in zip(shown.playback.tiles, shown.playback.fell_at, strict=True)
                if t is not None
            ]
            said.append(_("Fallen: {values}.").format(values=listed(fell)))
        return " ".join(said)
    if score.fell:
        happened = _("The whole row fell.")
    elif score.standing:
        happened = _("The row did not fall; still standing: {values}.").format(values=listed(list(score.standing)))
    else:
        happened = _("The row did not fall.")
    if not any(score.gained):
        return f"{happened} {_nobody()}"
    rule = _("Whoever was right takes a chip for every vote of the other side.")
    return f"{happened} {rule}"


def _nobody() -> str:
    return _("Nobody takes a chip.")


def told_so_far(shown: Screen) -> tuple[str, ...]:
    """The sentences below the table; what comes after a score waits until the score has been seen."""
    later = shown.score.sentences[2:] if shown.score is not None and shown.act is Act.SCORED else ()
    if later and shown.lines[-len(later) :] == later:
        return shown.lines[: -len(later)]
    return shown.lines


def weak_values(shown: Screen, *, is_holding: bool) -> tuple[int, ...]:
    """The two tiles beside the weakest gap, where it is no secret and no tile in the hand is to be looked at."""
    is_open = shown.act is Act.SCORED or (shown.has_hints and shown.act in (Act.CALL, Act.BUILD))
    if not is_open or shown.forecast is None or is_holding:
        return ()
    at, values = shown.forecast.get("weakest_at"), shown.forecast["values"]
    return () if at is None else (values[at], values[at + 1])


def paint_score(painter: Painter, palette: Palette, sizes: Sizes, room: Rect, shown: Screen) -> None:
    """The reason in a sentence or two, and a cell for every player: vote, gain, name."""
    score = shown.score
    assert score is not None
    words, room = room.cut_top(room.height * 0.4, sizes.gap * 0.4)
    painter.words(why(score, shown), words, sizes.body, palette.ink, wrap=True)
    for seat, cell in enumerate(room.columns(len(shown.names), sizes.gap * 0.5)):
        gain, colour = score.gained[seat], palette.players[seat]
        fill = mixed(palette.panel, colour, 0.24 if gain else 0.06)
        painter.rect(cell, fill, sizes.radius * 0.7, colour if gain else palette.line, 2 if gain else 1)
        inner = cell.inset(sizes.gap * 0.5, sizes.gap * 0.3)
        upper, name = inner.cut_top(inner.height * 0.46)
        half = upper.height * 0.44
        sign, upper = upper.cut_left(half * 2, sizes.gap * 0.4)
        painter.sign(SIGNS[seat], *sign.middle, half * 0.86, colour)
        if seat < len(score.votes) and score.votes[seat] is not None:
            token, upper = upper.cut_left(half * 2, sizes.gap * 0.4)
            paint_token(painter, palette, *token.middle, half, score.votes[seat])
        count = f"+{gain}" if gain else "0"
        ink = palette.accent if gain else palette.soft
        painter.words(count, upper, sizes.large, ink, bold=bool(gain), align="right")
        player = shown.names[seat]
        is_wide = painter.measured(player, sizes.small)[0] * NAME_SHRINK > name.width
        painter.words(in_pieces(player) if is_wide else player, name, sizes.small, palette.ink, wrap=is_wide)


def paint_forecast(
    painter: Painter, palette: Palette, sizes: Sizes, room: Rect, data: Mapping[str, Any], score: Score | None
) -> None:
    """The forecast: a bar with its interval, the weak gap, and whether it came true."""
    chance, (low, high) = float(data["probability"]), data["interval"]
    at, values = data.get("weakest_at"), data["values"]
    lines = [f"{with_capital(forecast_word(chance, (low, high)))} ({percents((low, high))})"]
    stuck = stuck_words(values, data["tile_falls"], data["pushed"], at)
    if stuck:
        lines.append(stuck)
    if at is not None:
        lines.append(_("Weakest gap: between {one} and {other}.").format(one=values[at], other=values[at + 1]))
    if score is not None and score.fell is not None:
        lines.append(_("The whole row fell.") if score.fell else _("The row did not fall."))
    line = sizes.body * 1.4
    need = sizes.gap * 2.4 + sizes.large * 1.5 + sizes.body * 1.3 + line * len(lines)
    room = room.cut_top(min(room.height, need))[0]
    paint_panel(painter, room, palette, sizes)
    inner = room.inset(sizes.gap * 1.1, sizes.gap * 0.8)
    head, inner = inner.cut_top(sizes.large * 1.5, sizes.gap * 0.2)
    share, title = head.cut_right(head.width * 0.36, sizes.gap * 0.5)
    painter.words(_("Chance that all of it falls"), title, sizes.body, palette.accent, bold=True, wrap=True)
    painter.words(percent(chance), share, sizes.large, palette.ink, bold=True, align="right")
    bar, inner = inner.cut_top(sizes.body * 1.3, sizes.gap * 0.4)
    bar = bar.inset(0, bar.height * 0.18)
    painter.rect(bar, palette.raised, bar.height / 2)
    span = Rect(bar.x + bar.width * low, bar.y, max(2.0, bar.width * (high - low)), bar.height)
    painter.rect(span, faded(palette.accent, 0.45), bar.height / 2)
    painter.rect(Rect(bar.x + bar.width * chance - 2, bar.y - 3, 4, bar.height + 6), palette.ink, 2)
    for words, cell in zip(lines, inner.rows(len(lines)), strict=True):
        painter.words(words, cell, sizes.body * 0.9, palette.ink)
