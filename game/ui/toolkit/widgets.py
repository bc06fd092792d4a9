"""Buttons, choices, switches, fields and sliders as values, and what mouse and keys do to them. Pure: nothing is drawn.

A screen lists its widgets anew for every frame. `Focus` remembers by their names which one the keyboard is at, which
one the mouse is over and which one is held, and turns keys and clicks into actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from game.ui.toolkit.layout import Rect


@dataclass(frozen=True, slots=True)
class Action:
    """Something was chosen."""

    name: str  # of the widget
    value: object = None  # what it is now, where it has a value


@dataclass(frozen=True, slots=True)
class Button:
    """Something to do."""

    name: str
    rect: Rect
    label: str
    kind: str = "plain"  # plain | main | good | bad | quiet
    key: str = ""  # shown in its corner
    enabled: bool = True
    tip: str = ""
    sign: str = ""  # a shape beside the words
    seat: int | None = None  # the player whose colour it has
    value: object = None  # of its action: what is chosen by it, where its name alone does not say that


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some values, side by side or, folded, the chosen one alone between two arrows."""

    name: str
    rect: Rect
    values: tuple[str, ...]
    labels: tuple[str, ...]
    value: str
    enabled: bool = True
    tip: str = ""
    folded: bool = False

    def cells(self) -> list[Rect]:
        """A place for each value, wider for longer words."""
        return self.rect.shares(_widths(self.labels))

    def at(self, x: float, y: float) -> str | None:
        """The value that a click there chooses."""
        if self.folded:
            return self.beside(-1 if x < self.rect.middle[0] else 1)
        cells = zip(self.values, self.cells(), strict=True)
        return next((value for value, cell in cells if cell.holds(x, y)), None)

    def beside(self, step: int) -> str:
        """The value so many steps further, the first one after the last."""
        return self.values[(self.values.index(self.value) + step) % len(self.values)]


@dataclass(frozen=True, slots=True)
class Switch:
    """On or off."""

    name: str
    rect: Rect
    label: str
    on: bool
    enabled: bool = True
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Stepper:
    """A whole number in a range."""

    name: str
    rect: Rect
    label: str
    value: int
    low: int
    high: int
    enabled: bool = True
    tip: str = ""

    def less(self) -> Rect:
        """Where a click takes one away."""
        edge = self.rect.height
        return Rect(self.rect.right - 2.6 * edge, self.rect.y, edge, edge)

    def more(self) -> Rect:
        """Where a click adds one."""
        edge = self.rect.height
        return Rect(self.rect.right - edge, self.rect.y, edge, edge)


@dataclass(frozen=True, slots=True)
class Field:
    """A line of text."""

    name: str
    rect: Rect
    text: str
    empty: str = ""  # shown when there is no text
    most: int = 24  # letters
    enabled: bool = True
    tip: str = ""
    sends: str = ""  # the action of Enter; without one Enter goes to the next widget


@dataclass(frozen=True, slots=True)
class Slider:
    """A number in a range, such as a moment of a film."""

    name: str
    rect: Rect
    value: float
    low: float
    high: float
    step: float  # of an arrow key
    marks: tuple[float, ...] = ()
    enabled: bool = True
    tip: str = ""

    @property
    def share(self) -> float:
        """How far along it is, 0 to 1."""
        return 0.0 if self.high <= self.low else min(1.0, max(0.0, (self.value - self.low) / (self.high - self.low)))

    def track(self) -> Rect:
        """The way of its knob."""
        return self.rect.inset(self.rect.height * 0.5, self.rect.height * 0.36)

    def at(self, x: float) -> float:
        """The value under that point."""
        track = self.track()
        share = min(1.0, max(0.0, (x - track.x) / max(1.0, track.width)))
        return self.low + share * (self.high - self.low)


def is_too_long(labels: Sequence[str], width: float, letter: float) -> bool:
    """Whether the labels of a choice have no room side by side in that width, with letters of that height."""
    return sum(_widths(labels)) * letter * 0.5 > width


def _widths(labels: Sequence[str]) -> list[float]:
    return [max(5, len(label)) + 1.5 for label in labels]


Widget = Button | Choice | Switch | Stepper | Field | Slider

PRESS = ("enter", "space")
BACK = "shift+tab"


@dataclass
class Focus:
    """Where keyboard and mouse are; see the module."""

    widgets: tuple[Widget, ...] = ()
    at: str | None = None  # where the keyboard is; None: at the table, or nowhere
    over: str | None = None
    held: str | None = None
    mouse: tuple[float, float] = (-1.0, -1.0)
    by_keys: bool = False  # whether the ring is shown: who uses the mouse alone does not need it
    cursor: int = 0  # in a field
    _order: list[str] = field(default_factory=list)

    def show(self, widgets: Sequence[Widget]) -> None:
        """These are there now; who was at one that is gone is nowhere."""
        self.widgets = tuple(widgets)
        self._order = [widget.name for widget in widgets if widget.enabled]
        if self.at not in self._order:
            self.at = None
        if self.held is not None and self.named(self.held) is None:
            self.held = None
        self.over = self._under(*self.mouse)

    def named(self, name: str | None) -> Widget | None:
        """The widget of that name, if it is there."""
        return next((widget for widget in self.widgets if widget.name == name), None)

    def go(self, name: str | None, *, by_keys: bool = False) -> None:
        """Puts the keyboard there."""
        self.at = name if name is None or name in self._order else self.at
        self.by_keys = by_keys
        widget = self.named(self.at)
        if isinstance(widget, Field):
            self.cursor = len(widget.text)

    # Mouse

    def moved(self, x: float, y: float) -> list[Action]:
        """The mouse is there now."""
        self.mouse = (x, y)
        self.over = self._under(x, y)
        held = self.named(self.held)
        return [Action(held.name, held.at(x))] if isinstance(held, Slider) else []

    def pressed(self, x: float, y: float) -> tuple[bool, list[Action]]:
        """The mouse was pressed there: whether on a widget, and what that did already."""
        self.mouse = (x, y)
        name = self._under(x, y)
        widget = self.named(name)
        if widget is None:
            return any(each.rect.holds(x, y) for each in self.widgets), []
        self.held = name
        if isinstance(widget, Field | Slider | Choice | Stepper | Switch):
            self.go(name)
        return True, [Action(widget.name, widget.at(x))] if isinstance(widget, Slider) else []

    def released(self, x: float, y: float) -> list[Action]:
        """The mouse was let go there: what was clicked, if it was pressed and let go on the same widget."""
        self.mouse = (x, y)
        held, self.held = self.held, None
        widget = self.named(held)
        if widget is None or held != self._under(x, y):
            return []
        match widget:
            case Button():
                return [Action(widget.name, widget.value)]
            case Switch():
                return [Action(widget.name, not widget.on)]
            case Choice():
                value = widget.at(x, y)
                return [] if value is None else [Action(widget.name, value)]
            case Stepper():
                for rect, step in ((widget.less(), -1), (widget.more(), 1)):
                    if rect.holds(x, y):
                        return _stepped(widget, step)
        return []

    # Keys

    def key(self, key: str) -> list[Action] | None:
        """What the key does to the widget the keyboard is at; None when it is not for widgets."""
        if key in ("tab", BACK):
            self._walk(-1 if key == BACK else 1)
            return []
        widget = self.named(self.at)
        if widget is None:
            return None
        if key == "escape" and isinstance(widget, Field) and widget.sends:
            return None  # the line of a screen is no place to come back from
        if key == "escape":
            self.at = None
            return []
        if key in ("up", "down") and not isinstance(widget, Slider):
            self._walk(1 if key == "down" else -1)
            return []
        if not self.by_keys and not isinstance(widget, Field):
            # Clicked with the mouse before: nobody sees that the keyboard is here, so Enter is for the screen.
            if key in PRESS:
                return None
            self.by_keys = key in ("left", "right", "home", "end")
        match widget:
            case Button() if key in PRESS:
                return [Action(widget.name, widget.value)]
            case Button() if key in ("left", "right"):
                self._walk(1 if key == "right" else -1)
                return []
            case Switch() if key in (*PRESS, "left", "right"):
                return [Action(widget.name, not widget.on)]
            case Choice() if key in (*PRESS, "left", "right"):
                return [Action(widget.name, widget.beside(-1 if key == "left" else 1))]
            case Stepper() if key in ("left", "right", *PRESS):
                return _stepped(widget, -1 if key == "left" else 1)
            case Slider() if key in ("left", "right", "home", "end", "up", "down"):
                return [Action(widget.name, _slid(widget, key))]
            case Field():
                return self._edit(widget, key)
        return None

    def typed(self, text: str) -> list[Action] | None:
        """Letters for a field; None when the keyboard is at none."""
        widget = self.named(self.at)
        letters = "".join(letter for letter in text if letter.isprintable())
        if not isinstance(widget, Field):
            return None
        room = widget.most - len(widget.text)
        letters = letters[: max(0, room)]
        if not letters:
            return []
        at = min(self.cursor, len(widget.text))
        self.cursor = at + len(letters)
        return self._changed(widget, widget.text[:at] + letters + widget.text[at:])

    def _edit(self, widget: Field, key: str) -> list[Action] | None:
        text, at = widget.text, min(self.cursor, len(widget.text))
        match key:
            case "left":
                self.cursor = max(0, at - 1)
            case "right":
                self.cursor = min(len(text), at + 1)
            case "home":
                self.cursor = 0
            case "end":
                self.cursor = len(text)
            case "backspace" if at:
                self.cursor = at - 1
                return self._changed(widget, text[: at - 1] + text[at:])
            case "delete" if at < len(text):
                return self._changed(widget, text[:at] + text[at + 1 :])
            case "enter" if widget.sends:
                return [Action(widget.sends)]
            case "enter":
                self._walk(1)
            case _:
                # Every other letter comes as text; the screen must not take it for a command.
                return [] if len(key) == 1 or key in ("space", "backspace", "delete") else None
        return []

    def _changed(self, widget: Field, text: str) -> list[Action]:
        # Letters may come faster than frames: the next one must see this one.
        self.widgets = tuple(replace(each, text=text) if each is widget else each for each in self.widgets)
        return [Action(widget.name, text)]

    def _walk(self, step: int) -> None:
        if not self._order:
            return
        if self.at is None:
            name = self._order[0 if step > 0 else -1]
        else:
            name = self._order[(self._order.index(self.at) + step) % len(self._order)]
        self.go(name, by_keys=True)

    def _under(self, x: float, y: float) -> str | None:
        """The enabled widget under the point, the last one listed first."""
        found = (widget.name for widget in reversed(self.widgets) if widget.enabled and widget.rect.holds(x, y))
        return next(found, None)


def _stepped(widget: Stepper, step: int) -> list[Action]:
    value = min(widget.high, max(widget.low, widget.value + step))
    return [Action(widget.name, value)] if value != widget.value else []


def _slid(widget: Slider, key: str) -> float:
    ends = {"home": widget.low, "end": widget.high}
    steps = {"left": -1, "down": -5, "right": 1, "up": 5}
    value = ends.get(key, widget.value + steps.get(key, 0) * widget.step)
    return min(widget.high, max(widget.low, value))
