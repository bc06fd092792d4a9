"""How widgets look: each kind painted, with the ring of the keyboard and the tip of the mouse."""

from __future__ import annotations

from game.pictures.theme import Colour, Palette, Sizes, faded, mixed
from game.ui.toolkit.layout import Rect
from game.ui.toolkit.paint import CLEAR, Painter
from game.ui.toolkit.widgets import Button, Choice, Field, Focus, Slider, Stepper, Switch, Widget


def paint_panel(painter: Painter, rect: Rect, palette: Palette, sizes: Sizes) -> None:
    """A panel with its shadow."""
    painter.shadow(rect, sizes.radius, 14 * sizes.unit)
    painter.rect(rect, palette.panel, sizes.radius, palette.line, palette.line_width)


def paint_widgets(painter: Painter, focus: Focus, palette: Palette, sizes: Sizes) -> None:
    """All widgets that are shown."""
    for widget in focus.widgets:
        paint_widget(painter, widget, focus, palette, sizes)


def paint_tip(painter: Painter, focus: Focus, palette: Palette, sizes: Sizes, width: float) -> None:
    """What the widget under the mouse, or the one the keyboard is at, has to say."""
    name = focus.over or (focus.at if focus.by_keys else None)
    widget = focus.named(name)
    if widget is None or not widget.tip or focus.held is not None:
        return
    most = min(380 * sizes.unit, width - 4 * sizes.gap)
    wide, high = painter.measured(widget.tip, sizes.small, wrap=most)
    one_line, _height = painter.measured(widget.tip, sizes.small)
    box_width = min(most, max(wide, one_line) if one_line <= most else most) + 2 * sizes.gap
    x = min(max(sizes.gap, widget.rect.middle[0] - box_width / 2), width - box_width - sizes.gap)
    height = high + 1.2 * sizes.gap
    above = widget.rect.top + sizes.gap * 0.6
    y = above if above + height < painter.height - 2 else widget.rect.y - height - sizes.gap * 0.6
    rect = Rect(x, y, box_width, height)
    painter.shadow(rect, sizes.radius, 8 * sizes.unit)
    painter.rect(rect, palette.ink, sizes.radius * 0.6)
    painter.words(widget.tip, rect.inset(sizes.gap, 0.5 * sizes.gap), sizes.small, (*palette.panel[:3], 255), wrap=True)


def paint_widget(painter: Painter, widget: Widget, focus: Focus, palette: Palette, sizes: Sizes) -> None:
    """One widget."""
    is_over = focus.over == widget.name and widget.enabled
    is_held = focus.held == widget.name
    match widget:
        case Button():
            _button(painter, widget, palette, sizes, is_over, is_held)
        case Choice():
            _choice(painter, widget, focus, palette, sizes)
        case Switch():
            _switch(painter, widget, palette, sizes, is_over)
        case Stepper():
            _stepper(painter, widget, focus, palette, sizes)
        case Field():
            _field(painter, widget, focus, palette, sizes)
        case Slider():
            _slider(painter, widget, palette, sizes, is_over or is_held)
    if focus.at == widget.name and focus.by_keys:
        ring = widget.rect.inset(-palette.ring_width - 1)
        painter.rect(ring, CLEAR, sizes.radius + 3, palette.ring, palette.ring_width)


def _button(painter: Painter, widget: Button, palette: Palette, sizes: Sizes, is_over: bool, is_held: bool) -> None:
    fills: dict[str, tuple[Colour, Colour]] = {
        "plain": (palette.raised, palette.ink),
        "main": (palette.accent, palette.on_accent),
        "good": (palette.good, palette.on_sign),
        "bad": (palette.bad, palette.on_sign),
        "quiet": (faded(palette.raised, 0.55), palette.soft),
    }
    fill, ink = fills[widget.kind]
    if widget.seat is not None:
        fill, ink = palette.players[widget.seat], (24, 16, 10, 255)
    if is_over:
        fill = mixed(fill, palette.ink, 0.14)
    if is_held:
        fill = mixed(fill, (0, 0, 0, fill[3]), 0.18)
    if not widget.enabled:
        fill, ink = faded(palette.raised, 0.5), faded(palette.soft, 0.55)
    rect = widget.rect
    if widget.kind != "quiet" and widget.enabled:
        painter.shadow(rect, sizes.radius, 5 * sizes.unit, 0.35)
    painter.rect(
        rect, fill, sizes.radius, palette.line if widget.kind in ("plain", "quiet") else CLEAR, palette.line_width
    )
    room = rect.inset(sizes.gap * 0.8, sizes.gap * 0.2)
    if widget.key:
        size = sizes.small * 0.92
        wide = painter.measured(widget.key, size)[0] + sizes.gap * 0.9
        cap, rest = room.cut_right(min(wide, room.width * 0.4), sizes.gap * 0.5)
        cap = cap.centred(cap.width, size * 1.65)
        painter.rect(cap, faded(ink, 0.12), sizes.radius * 0.5, faded(ink, 0.45), 1)
        painter.words(widget.key, cap, size, ink, align="center")
        room = rest
    if widget.sign:
        half = min(room.height * 0.3, sizes.body * 0.62)
        spot, room = room.cut_left(half * 2, sizes.gap * 0.6)
        painter.sign(widget.sign, *spot.middle, half, ink)
    is_big = rect.height > (sizes.row * 1.1 if widget.kind == "main" else sizes.row * 1.6)
    painter.words(widget.label, room, sizes.large if is_big else sizes.body, ink, bold=is_big or widget.kind == "main",
                  align="center", wrap=is_big and " " in widget.label)  # fmt: skip


def _choice(painter: Painter, widget: Choice, focus: Focus, palette: Palette, sizes: Sizes) -> None:
    painter.rect(widget.rect, palette.raised, sizes.radius, palette.line, palette.line_width)
    if widget.folded:
        _folded(painter, widget, focus, palette, sizes)
        return
    rooms = [cell.inset(sizes.gap * 0.5, 2) for cell in widget.cells()]
    pairs = zip(widget.labels, rooms, strict=True)
    size = min(painter.fitted(label, room, sizes.body * 0.94)[1] for label, room in pairs)  # one size for all
    for value, label, cell in zip(widget.values, widget.labels, widget.cells(), strict=True):
        is_on = value == widget.value
        is_over = focus.over == widget.name and cell.holds(*focus.mouse)
        ink = palette.ink if widget.enabled else palette.soft
        if is_on:
            painter.rect(cell.inset(2), palette.accent if widget.enabled else palette.line, sizes.radius * 0.8)
            ink = palette.on_accent
        elif is_over:
            painter.rect(cell.inset(2), palette.hover, sizes.radius * 0.8)
        painter.words(label, cell.inset(sizes.gap * 0.5, 2), size, ink, align="center")


def _folded(painter: Painter, widget: Choice, focus: Focus, palette: Palette, sizes: Sizes) -> None:
    """The chosen value between two arrows."""
    edge = widget.rect.height
    less, rest = widget.rect.cut_left(edge)
    more, middle = rest.cut_right(edge)
    for rect, sign in ((less, "‹"), (more, "›")):
        is_over = focus.over == widget.name and (focus.mouse[0] < widget.rect.middle[0]) is (rect is less)
        if is_over and widget.enabled:
            painter.rect(rect.inset(3), palette.hover, sizes.radius * 0.8)
        painter.words(sign, rect, sizes.large, palette.ink, align="center", bold=True)
    painter.rect(middle.inset(2), palette.accent if widget.enabled else palette.line, sizes.radius * 0.8)
    label = widget.labels[widget.values.index(widget.value)]
    painter.words(label, middle.inset(sizes.gap * 0.5, 2), sizes.body * 0.94, palette.on_accent, align="center")


def _switch(painter: Painter, widget: Switch, palette: Palette, sizes: Sizes, is_over: bool) -> None:
    painter.rect(
        widget.rect, palette.hover if is_over else palette.raised, sizes.radius, palette.line, palette.line_width
    )
    room = widget.rect.inset(sizes.gap * 0.9, 2)
    high = min(room.height * 0.56, 24 * sizes.unit)
    knob, rest = room.cut_right(high * 1.85, sizes.gap)
    knob = knob.centred(knob.width, high)
    painter.rect(knob, palette.accent if widget.on else palette.panel, high / 2, palette.line, 1)
    x = knob.right - high / 2 if widget.on else knob.x + high / 2
    painter.sign("circle", x, knob.middle[1], high * 0.38, palette.on_accent if widget.on else palette.soft)
    if widget.on:
        painter.sign("tick", knob.x + high * 0.6, knob.middle[1], high * 0.3, palette.on_accent)
    painter.words(widget.label, rest, sizes.body, palette.ink)


def _stepper(painter: Painter, widget: Stepper, focus: Focus, palette: Palette, sizes: Sizes) -> None:
    painter.rect(widget.rect, palette.raised, sizes.radius, palette.line, palette.line_width)
    less, more = widget.less(), widget.more()
    for rect, sign, able in ((less, "−", widget.value > widget.low), (more, "+", widget.value < widget.high)):
        if focus.over == widget.name and rect.holds(*focus.mouse):
            painter.rect(rect.inset(3), palette.hover, sizes.radius * 0.8)
        painter.words(sign, rect, sizes.large, palette.ink if able else palette.line, align="center", bold=True)
    middle = Rect(less.right, less.y, more.x - less.right, less.height)
    painter.words(str(widget.value), middle, sizes.large, palette.accent, align="center", bold=True)
    room = Rect(widget.rect.x + sizes.gap * 0.9, widget.rect.y, less.x - widget.rect.x - sizes.gap, widget.rect.height)
    painter.words(widget.label, room, sizes.body, palette.ink)


def _field(painter: Painter, widget: Field, focus: Focus, palette: Palette, sizes: Sizes) -> None:
    is_here = focus.at == widget.name
    edge = palette.accent if is_here else palette.line
    painter.rect(widget.rect, palette.panel, sizes.radius, edge, palette.line_width * (2 if is_here else 1))
    room = widget.rect.inset(sizes.gap * 0.9, 2)
    if not widget.text and not is_here:
        painter.words(widget.empty, room, sizes.body, palette.soft)
        return
    painter.words(widget.text, room, sizes.body, palette.ink)
    if is_here:
        _text, size = painter.fitted(widget.text, room, sizes.body)
        before = widget.text[: focus.cursor]
        wide = painter.measured(before, size)[0] if before else 0.0
        x = min(room.right, room.x + wide)
        painter.rect(Rect(x, room.middle[1] - size * 0.7, max(1.5, 2 * sizes.unit), size * 1.4), palette.accent)


def _slider(painter: Painter, widget: Slider, palette: Palette, sizes: Sizes, is_over: bool) -> None:
    track = widget.track()
    painter.rect(track, palette.panel, track.height / 2, palette.line, palette.line_width)
    done = Rect(track.x, track.y, max(track.height, track.width * widget.share), track.height)
    painter.rect(done, palette.accent, track.height / 2)
    for mark in widget.marks:
        share = (mark - widget.low) / max(1e-9, widget.high - widget.low)
        painter.rect(Rect(track.x + share * track.width - 1, widget.rect.y, 2, widget.rect.height), palette.soft)
    knob = widget.rect.height * (0.46 if is_over else 0.38)
    x = track.x + track.width * widget.share
    painter.sign("circle", x, track.middle[1], knob, palette.ink, palette.panel, 2)
