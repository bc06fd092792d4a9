"""The window: asks the upper screen what to show, and tells it what mouse and keyboard do."""

from __future__ import annotations

import sys

import arcade
import pyglet
from PIL.Image import Image

from game.pictures.theme import MIN_WINDOW
from game.ui.screens.base import LEFT, MIDDLE, RIGHT, Desk, Screen
from game.ui.screens.sheets import Menu, Rules
from game.ui.toolkit.layout import Rect
from game.ui.toolkit.paint import Painter
from game.ui.toolkit.widget_paint import paint_tip, paint_widgets
from game.ui.toolkit.widgets import Action
from game.ui.view3d import gpu

USUAL_SIZE = (1280, 800)
_KEYS = {
    arcade.key.TAB: "tab",
    arcade.key.ENTER: "enter",
    arcade.key.RETURN: "enter",
    arcade.key.NUM_ENTER: "enter",
    arcade.key.SPACE: "space",
    arcade.key.ESCAPE: "escape",
    arcade.key.LEFT: "left",
    arcade.key.RIGHT: "right",
    arcade.key.UP: "up",
    arcade.key.DOWN: "down",
    arcade.key.HOME: "home",
    arcade.key.END: "end",
    arcade.key.PAGEUP: "pageup",
    arcade.key.PAGEDOWN: "pagedown",
    arcade.key.BACKSPACE: "backspace",
    arcade.key.DELETE: "delete",
    arcade.key.PLUS: "+",
    arcade.key.EQUAL: "+",
    arcade.key.NUM_ADD: "+",
    arcade.key.MINUS: "-",
    arcade.key.NUM_SUBTRACT: "-",
    arcade.key.COMMA: ",",
    arcade.key.PERIOD: ".",
    arcade.key.BRACKETLEFT: "[",
    arcade.key.BRACKETRIGHT: "]",
    **{getattr(arcade.key, f"F{number}"): f"f{number}" for number in range(1, 13)},
    **{getattr(arcade.key, f"KEY_{number}"): str(number) for number in range(10)},
    **{getattr(arcade.key, f"NUM_{number}"): str(number) for number in range(10)},
    **{getattr(arcade.key, letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
}
# The keys of a PC by X11's numbers, row by row: a layout without Latin letters has no other names for them.
_ROWS = {24: "qwertyuiop[]", 38: "asdfghjkl", 52: "zxcvbnm,."}
_PLACES = {
    pyglet.window.key.user_key(first + place): letter
    for first, letters in _ROWS.items()
    for place, letter in enumerate(letters)
}
_BUTTONS = {
    arcade.MOUSE_BUTTON_LEFT: LEFT,
    arcade.MOUSE_BUTTON_MIDDLE: MIDDLE,
    arcade.MOUSE_BUTTON_RIGHT: RIGHT,
}


def key_name(symbol: int, modifiers: int) -> str:
    """The key as screens know it: a, left, shift+tab, ctrl+z; empty for keys that mean nothing here.

    A key that has no Latin letter in the layout in use, as in Cyrillic ones, is known by its place.
    """
    name = _KEYS.get(symbol) or (_PLACES.get(symbol, "") if sys.platform == "linux" else "")
    if name and modifiers & arcade.key.MOD_SHIFT:
        name = f"shift+{name}"
    if name and modifiers & (arcade.key.MOD_CTRL | arcade.key.MOD_COMMAND):
        name = f"ctrl+{name}"
    return name


class GameWindow(arcade.Window):
    """See the module. `begin` must be given the first screen before the loop starts."""

    _is_same = False  # the frame is as the last one; Arcade may flip before this window is made

    def __init__(self, size: tuple[int, int] = USUAL_SIZE, *, fullscreen: bool = False) -> None:
        # Shapes and tiles smooth their own edges; samples for every pixel would only cost time.
        super().__init__(*size, "topple", resizable=True, fullscreen=fullscreen, antialiasing=False)
        self.set_minimum_size(*MIN_WINDOW)
        self.desk = Desk(Painter(self), width=self.width, height=self.height, quit=self.close)
        self.frames = 0  # that were drawn
        self._scene: object = None
        self._is_stale = True  # the window has lost what was drawn
        self._grabbed: Screen | None = None  # who has the mouse while it is pressed outside of widgets

    def begin(self, screen: Screen) -> None:
        """Shows the first screen."""
        self.desk.show(screen)

    def picture(self) -> Image:
        """What the window shows, as a picture."""
        return arcade.get_image(0, 0, self.width, self.height).convert("RGB")

    # What Arcade calls

    def on_resize(self, width: int, height: int) -> None:
        """Everything is laid out anew."""
        super().on_resize(width, height)
        if hasattr(self, "desk"):
            self.desk.width, self.desk.height = float(width), float(height)
            self._is_stale = True

    def on_update(self, delta_time: float) -> None:
        """Time goes on for all screens."""
        for screen in self._seen_screens():
            screen.update(delta_time)

    def on_draw(self) -> None:
        """The screens from the lowest to the uppermost."""
        desk = self.desk
        if not desk.stack:
            return
        painter, palette, sizes = desk.painter, desk.palette, desk.sizes
        seen = self._seen_screens()
        painter.begin()
        for screen in seen:
            if screen.sheet:
                painter.rect(Rect(0, 0, desk.width, desk.height), palette.shade)
            screen.focus.show(screen.widgets())
            screen.paint(painter)
            painter.layer()
            paint_widgets(painter, screen.focus, palette, sizes)
            painter.layer()
            screen.paint_over(painter)
            painter.layer()
        paint_tip(painter, desk.top.focus, palette, sizes, desk.width)
        painter.layer()
        scene = seen[0].scene_key()
        self._is_same = not painter.is_new() and scene == self._scene and not self._is_stale
        if self._is_same:
            return
        self._scene, self._is_stale = scene, False
        self.ctx.screen.use()
        gpu.clear_colour(palette.table, self.get_framebuffer_size())
        seen[0].scene()
        self.ctx.viewport = (0, 0, self.width, self.height)  # in points: Arcade knows how many pixels that is
        self.ctx.enable_only(self.ctx.BLEND)
        painter.draw()
        self.frames += 1

    def flip(self) -> None:
        """Shows what was drawn. A frame like the last one was not drawn: that leaves the machine to those who think."""
        if not self._is_same:
            super().flip()

    def on_expose(self) -> None:
        """Something lay over the window."""
        self._is_stale = True

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """For a widget, for the screen, or for the window itself."""
        key = key_name(symbol, modifiers)
        if not key or not self.desk.stack:
            return
        screen = self.desk.top
        screen.focus.show(screen.widgets())
        actions = screen.focus.key(key)
        if actions is not None:
            self._act(screen, actions)
        elif not self._own(key):
            screen.key(key)

    def on_text(self, text: str) -> None:
        """Letters for a field."""
        if self.desk.stack:
            self._act(self.desk.top, self.desk.top.focus.typed(text) or [])

    def on_mouse_motion(self, x: int, y: int, dx: int, dy: int) -> None:
        """The mouse is elsewhere."""
        if self.desk.stack:
            self.desk.top.focus.moved(x, y)
            self.desk.top.hovered(x, y)

    def on_mouse_press(self, x: int, y: int, button: int, modifiers: int) -> None:
        """On a widget, or on what lies under them."""
        if not self.desk.stack:
            return
        screen = self.desk.top
        screen.focus.show(screen.widgets())
        if button == arcade.MOUSE_BUTTON_LEFT:
            taken, actions = screen.focus.pressed(x, y)
            self._act(screen, actions)
            if taken:
                return
            screen.focus.go(None)
        self._grabbed = screen
        screen.pressed(x, y, _BUTTONS.get(button, LEFT))

    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        """A slider, or what lies under the widgets."""
        if not self.desk.stack:
            return
        screen = self.desk.top
        self._act(screen, screen.focus.moved(x, y))
        if self._grabbed is screen:
            name = next((name for button, name in _BUTTONS.items() if buttons & button), LEFT)
            screen.dragged(x, y, dx, dy, name)

    def on_mouse_release(self, x: int, y: int, button: int, modifiers: int) -> None:
        """A click, perhaps."""
        if not self.desk.stack:
            return
        screen = self.desk.top
        grabbed, self._grabbed = self._grabbed, None
        if grabbed is screen:
            screen.released(x, y, _BUTTONS.get(button, LEFT))
        elif button == arcade.MOUSE_BUTTON_LEFT:
            self._act(screen, screen.focus.released(x, y))

    def on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        """The wheel."""
        if self.desk.stack:
            self.desk.top.wheel(x, y, scroll_y)

    def on_close(self) -> None:
        """The match is kept: every move is on the disk."""
        for screen in reversed(self.desk.stack):
            screen.closed()
        self.desk.stack.clear()
        super().on_close()

    def _seen_screens(self) -> list[Screen]:
        """The uppermost whole screen and the sheets over it."""
        stack = self.desk.stack
        first = max((index for index, screen in enumerate(stack) if not screen.sheet), default=0)
        return stack[first:]

    def _act(self, screen: Screen, actions: list[Action]) -> None:
        for action in actions:
            screen.acted(action)

    def _forget_keys(self, _seconds: float) -> None:
        """The release of a key gets lost with the old window; the key would count as held for ever."""
        if sys.platform.startswith("linux"):
            self.pressed_keys.clear()

    def _own(self, key: str) -> bool:
        """Keys that mean the same on every screen."""
        desk = self.desk
        match key:
            case "f1" if not isinstance(desk.top, Rules):
                desk.over(Rules(desk))
            case "f2":
                desk.next_language()
            case "f3":
                desk.set_contrast(not desk.contrast)
            case "f4":
                desk.set_text_size(desk.text_size - 1)
            case "f5":
                desk.set_text_size(desk.text_size + 1)
            case "f6":
                desk.set_muted(not desk.muted)
            case "f10" if not isinstance(desk.top, Menu):
                desk.over(desk.top.menu() or Menu(desk))
            case "f11":
                self.set_fullscreen(not self.fullscreen)
                arcade.schedule_once(self._forget_keys, 0)
            case _:
                return False
        return True
