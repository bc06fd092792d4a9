"""How a match looks around its table: players' cards, the sentence below, the tray, tokens, scores and forecasts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from game.games.evaluation.placements import TILES
from game.games.evaluation.window.model import Act, Screen
from game.games.evaluation.window.placing import Proposal
from game.pictures.theme import SIGNS, Colour, Palette, Sizes, faded, mixed
from game.ui.toolkit.layout import DockPlaces, MatchPlaces, Rect, dock_places, tray_places
from game.ui.toolkit.match_paint import paint_points
from game.ui.toolkit.paint import CLEAR, Painter
from game.ui.toolkit.widget_paint import paint_panel
from game.words import _, number, plural, say
from physics.tiles import Stance

MIN_LETTERS = 0.7  # of the usual ones, for names on cards; a longer name is cut
NAME_SHRINK = 0.8  # of the usual letters: smaller ones are for names in two lines


LONGEST_WORD = 14  # letters that go into a narrow place in one line


def in_pieces(name: str) -> str:
    """The name with long words broken, so that it can stand in several lines."""
    pieces = []
    for word in name.split():
        lines = math.ceil(len(word) / (LONGEST_WORD - 1)) if len(word) > LONGEST_WORD else 1
        size = math.ceil(len(word) / lines)
        pieces.append("- ".join(word[start : start + size] for start in range(0, len(word), size)))
    return " ".join(pieces)


def paint_cards(
    painter: Painter,
    palette: Palette,
    sizes: Sizes,
    places: MatchPlaces,
    shown: Screen,
    votes: Sequence[str | None],
    gained: Sequence[int] = (),
) -> None:
    """Each player: sign, name, chips, and what is known of the vote."""
    letters = _card_letters(painter, sizes, places, shown)
    for seat, rect in enumerate(places.cards):
        colour = palette.players[seat]
        is_asked = shown.asked == seat or shown.thinking == seat or shown.voter == seat
        fill = mixed(palette.panel, colour, 0.20 if is_asked else 0.05)
        painter.rect(rect, fill, sizes.radius, colour if is_asked else palette.line, 2.5 if is_asked else 1)
        room = rect.inset(sizes.gap * 0.6, sizes.gap * 0.3)
        spot, room = room.cut_left(room.height * 0.62, sizes.gap * 0.5)
        painter.sign(SIGNS[seat], *spot.middle, spot.width * 0.44, colour)
        name, chips = room.rows(2)
        painter.words(shown.names[seat], name, letters, palette.ink, bold=is_asked)
        token, chips = chips.cut_right(chips.height * 1.15, sizes.gap * 0.3)
        vote = votes[seat] if seat < len(votes) else None
        if vote is not None or (seat in shown.voted and shown.act in (Act.VOTE, Act.COUNTDOWN)):
            paint_token(painter, palette, *token.middle, token.width * 0.48, vote)
        held = shown.chips[seat]
        words = plural("{count} chip", "{count} chips", held)
        paint_points(painter, palette, sizes, chips, words, held, gained[seat] if seat < len(gained) else 0)


def _card_letters(painter: Painter, sizes: Sizes, places: MatchPlaces, shown: Screen) -> float:
    """One size for all names: the longest one that is not much too long fits its card."""
    rect = places.cards[0].inset(sizes.gap * 0.6, sizes.gap * 0.3)
    room = rect.width - rect.height * 0.62 - sizes.gap * 0.5
    widest = max(painter.measured(name, sizes.body, bold=True)[0] for name in shown.names)
    return sizes.body * min(1.0, max(MIN_LETTERS, room / widest))


def paint_round(painter: Painter, palette: Palette, sizes: Sizes, places: MatchPlaces, shown: Screen) -> None:
    """Which round it is."""
    if shown.contenders:
        words = _("Extra round")
    else:
        words = _("Round {round} of {rounds}").format(round=shown.round, rounds=shown.rounds)
    painter.words(words, places.round, sizes.small, palette.soft, wrap=True, align="center")


def paint_token(
    painter: Painter, palette: Palette, x: float, y: float, half: float, vote: str | None, squeeze: float = 1.0
) -> None:
    """A voting token: face down, or the side that was chosen; narrower while it turns over."""
    fill: Colour = palette.raised if vote is None else palette.good if vote == "success" else palette.bad
    painter.sign("circle", x, y, half, fill, palette.ink, max(1.5, half * 0.08), squeeze)
    if vote is not None and squeeze > 0.5:
        painter.sign("tick" if vote == "success" else "cross", x, y, half * 0.66, palette.on_sign)
    elif vote is None and squeeze > 0.5:
        painter.words("?", Rect(x - half, y - half, 2 * half, 2 * half), half, palette.soft, align="center", bold=True)


def paint_thinking(painter: Painter, palette: Palette, sizes: Sizes, room: Rect, shown: Screen, seat: int) -> None:
    """That a bot thinks, and how far it is."""
    upper, lower = room.rows(2)
    words = _("{name} is thinking").format(name=shown.names[seat])
    painter.words(words, upper, sizes.body, palette.soft, align="center")
    bar = lower.centred(min(lower.width, 280 * sizes.unit), 8 * sizes.unit)
    painter.rect(bar, palette.panel, bar.height / 2)
    done = Rect(bar.x, bar.y, max(bar.height, bar.width * shown.thinking_share), bar.height)
    painter.rect(done, palette.players[seat], bar.height / 2)


def dock_of(places: MatchPlaces, sizes: Sizes) -> DockPlaces:
    """Where things are in the dock of the screen."""
    return dock_places(places.dock, sizes)


def paint_values(
    painter: Painter,
    palette: Palette,
    sizes: Sizes,
    crowns: Sequence[tuple[int, tuple[float, float]]],
    note: Rect,
) -> None:
    """The value of every tile above it, except over the note: from many sides its own number is hard to read."""
    half = sizes.small * 0.78
    for value, (x, y) in crowns:
        room = Rect(x - half, y + half * 0.35, 2 * half, 2 * half)
        if room.overlaps(note):
            continue
        painter.rect(room, faded(palette.panel, 0.82), half)
        painter.words(str(value), room, sizes.small * 0.95, palette.ink, bold=True, align="center")


# The tray


def tile_places(room: Rect, values: Sequence[int], sizes: Sizes) -> dict[int, Rect]:
    """Where the tiles of the tray stand: true sizes beside one another."""
    tiles = [TILES[value] for value in values]
    rects = tray_places(room, [tile.width for tile in tiles], [tile.height for tile in tiles], sizes.gap * 0.8)
    return dict(zip(values, rects, strict=True))


def paint_tray(
    painter: Painter,
    palette: Palette,
    sizes: Sizes,
    room: Rect,
    places: Mapping[int, Rect],
    held: int | None,
    over: int | None,
    *,
    enabled: bool,
) -> None:
    """The supply on a ledge; the tile in the hand is missing from it."""
    ledge = Rect(room.x, room.y - sizes.gap * 0.5, room.width, sizes.gap * 0.5)
    painter.rect(ledge, palette.wood, sizes.gap * 0.2)
    for value, rect in places.items():
        if value == held:
            painter.rect(rect, CLEAR, sizes.radius * 0.5, palette.accent, 2)
            continue
        lifted = Rect(rect.x, rect.y + (sizes.gap * 0.4 if value == over else 0), rect.width, rect.height)
        paint_tile(painter, palette, sizes, lifted, value, faint=not enabled, lit=value == over)


def paint_tile(
    painter: Painter, palette: Palette, sizes: Sizes, rect: Rect, value: int, *, faint: bool = False, lit: bool = False
) -> None:
    """The face of a tile with its value."""
    fill = mixed(palette.tile, palette.panel, 0.55) if faint else palette.tile
    painter.shadow(rect, sizes.radius * 0.4, 4 * sizes.unit, 0.4)
    edge = palette.accent if lit else mixed(palette.wood, (0, 0, 0, 255), 0.3)
    painter.rect(rect, fill, sizes.radius * 0.4, edge, 2.5 if lit else 1)
    size = min(sizes.large, rect.width * 0.62, rect.height * 0.9)
    painter.words(str(value), rect.inset(-2), size, (60, 38, 22, 255), bold=True, align="center")


# Numbers over the table


def clear_aside(places: MatchPlaces, sizes: Sizes, height: float, tiles: Sequence[Rect]) -> Rect | None:
    """Room for something so high on the right or else on the left of the table; None when it would cover a tile."""
    aside, view = places.aside, places.view
    # A refusal of two lines may hang down on the left.
    left = Rect(view.x + view.right - aside.right, aside.y - sizes.body * 1.5, aside.width, aside.height)
    for room in (aside, left):
        used = room.cut_top(min(room.height, height))[0]
        if not any(used.overlaps(tile) for tile in tiles):
            return room
    return None


def _placing_lines(proposal: Proposal) -> tuple[str, list[str]]:
    """What is held, and how: stance; gaps and turn."""
    stance = _("upright") if proposal.aim.stance is Stance.UPRIGHT else _("on its side")
    title = _("Tile {value}, {stance}").format(value=proposal.aim.value, stance=stance)
    lines = [
        _("{gap} mm to the {other}").format(gap=number(gap, 1), other=other)
        for gap, other in zip(proposal.gaps, proposal.neighbours, strict=True)
    ]
    lines.append(_("turned {turn}°").format(turn=f"{proposal.turn:+.0f}".replace("+0", "0")))
    if proposal.guide is None:
        lines.append(_("set free"))
    return title, lines


def placing_height(sizes: Sizes, proposal: Proposal, more: int) -> float:
    """How high the numbers of a tile in the hand are, line below line."""
    return sizes.body * (1.5 + 1.45 * (len(_placing_lines(proposal)[1]) + more)) + sizes.gap * 1.6


def paint_placing(
    painter: Painter, palette: Palette, sizes: Sizes, room: Rect, proposal: Proposal, more: Sequence[str]
) -> None:
    """What is held and how: stance, gaps, turn; then what the hint says. In one line where the room is a strip."""
    title, lines = _placing_lines(proposal)
    lines += more
    if room.height < 3 * sizes.body:
        paint_panel(painter, room, palette, sizes)
        painter.words(" · ".join([title, *lines]), room.inset(sizes.gap, 2), sizes.body, palette.ink, align="center")
        return
    room = room.cut_top(min(room.height, placing_height(sizes, proposal, len(more))))[0]
    paint_panel(painter, room, palette, sizes)
    inner = room.inset(sizes.gap * 1.1, sizes.gap * 0.8)
    head, inner = inner.cut_top(sizes.body * 1.5)
    painter.words(title, head, sizes.body, palette.accent, bold=True)
    height = min(sizes.body * 1.45, inner.height / len(lines))
    for line in lines:
        row, inner = inner.cut_top(height)
        painter.words(line, row, sizes.body * 0.94, palette.ink)


def paint_refusal(painter: Painter, palette: Palette, sizes: Sizes, room: Rect, proposal: Proposal) -> None:
    """Why the tile cannot stand there."""
    if proposal.refusal is None:
        return
    paint_notice(painter, palette, sizes, room, say(proposal.refusal), bad=True)


def paint_notice(painter: Painter, palette: Palette, sizes: Sizes, room: Rect, words: str, *, bad: bool) -> None:
    """A sentence on a strip over the table."""
    width, height = painter.measured(words, sizes.body, wrap=room.width - 2 * sizes.gap)
    one = painter.measured(words, sizes.body)[0]
    wide = min(room.width, (one if one <= room.width - 2 * sizes.gap else width) + 2.4 * sizes.gap)
    high = max(room.height, height + sizes.gap * 0.8)
    strip = Rect(room.x, room.top - high, max(wide, sizes.gap * 4), high)
    painter.rect(strip, palette.bad if bad else palette.panel, sizes.radius, palette.line, palette.line_width)
    ink = palette.on_sign if bad else palette.ink
    painter.words(words, strip.inset(sizes.gap * 1.1, sizes.gap * 0.3), sizes.body, ink, wrap=high > room.height + 1)


# What newcomers are told


def coach_rooms(room: Rect, sizes: Sizes) -> tuple[Rect, Rect]:
    """The place of the words, and that of the button that ends them."""
    skip, words = room.inset(sizes.gap * 1.4, sizes.gap * 0.5).cut_right(150 * sizes.unit, sizes.gap * 1.5)
    return words, skip.centred(skip.width, sizes.row * 0.8)


def paint_coach(painter: Painter, palette: Palette, sizes: Sizes, room: Rect, note: str) -> None:
    """A note below the table, where it covers nothing."""
    painter.rect(room, mixed((*palette.panel[:3], 255), palette.accent, 0.10))
    painter.rect(Rect(room.x, room.y, sizes.gap * 0.5, room.height), palette.accent)
    painter.words(note, coach_rooms(room, sizes)[0], sizes.body, palette.ink, wrap=True)
