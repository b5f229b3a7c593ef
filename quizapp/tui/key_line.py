"""The last line of a screen: its keys with what they do. A click on one is as good as the key.

One widget that draws text, not a widget for each key: it is drawn anew at every move of the focus. Where the line is too short for
all keys, it says so, and F1 lists them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget

LAST = ("f3", "f4", "f5", "ctrl+g", "f1", "escape")
"""Keys that mean the same on many screens: they come after what a screen has of its own."""
KEPT = ("f1", "escape")
"""Keys that stay on the line, however short it is."""
SPARED = ("f5", "f3", "ctrl+g", "f4")
"""Keys that leave a short line first, in this order; then those of the screen's own, the last first."""
MORE = "More keys"
"""What help is called on a line that lacks some keys."""
_SEVERAL = re.compile(r"\d-\d")
"""Shows that a key stands for several, each of which does something else: a click can't tell which."""


class Key(NamedTuple):
    """A key as it is shown, and what it does."""

    key: str
    shown: str
    does: str
    enabled: bool

    @property
    def width(self) -> int:
        """Cells, with the blank after it."""
        return Content(f"{self.shown} {self.does}").cell_length + 1


def keys_of(screen: Screen[Any]) -> tuple[Key, ...]:
    """The keys that a screen and its focused widget show, what is nearest to the focus first; keys of one action are one."""
    found: dict[str, tuple[tuple[int, int, int], Key]] = {}
    for node, binding, enabled, _ in screen.active_bindings.values():
        if binding.show and binding.action not in found:
            # In the order in which they are declared: a key that a widget nearer to the focus has too would else come first.
            declared = [key for key, _ in node._bindings].index(binding.key)
            last = LAST.index(binding.key) if binding.key in LAST else -1
            key = Key(binding.key, screen.app.get_key_display(binding), binding.description, enabled)
            found[binding.action] = (last, -len(node.ancestors), declared), key
    return tuple(key for _, key in sorted(found.values()))


def fitting(keys: Sequence[Key], columns: int) -> tuple[Key, ...]:
    """The keys that fit; where not all do, help says that there are more."""
    if sum(key.width for key in keys) - 1 <= columns:
        return tuple(keys)
    kept = [key._replace(does=MORE) if key.key == "f1" else key for key in keys]
    going = [key for name in SPARED for key in kept if key.key == name]
    going += [key for key in reversed(kept) if key.key not in (*KEPT, *SPARED)]
    while going and sum(key.width for key in kept) - 1 > columns:
        kept.remove(going.pop(0))
    return tuple(kept)


class KeyLine(Widget, can_focus=False):
    """Shows the keys of its screen."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    KeyLine { dock: bottom; height: 1; text-wrap: nowrap; background: $footer-background; color: $footer-foreground; }
    """
    hovered: reactive[int | None] = reactive(None)
    """Which key the mouse is over."""

    def __init__(self) -> None:
        super().__init__()
        self._keys: tuple[Key, ...] = ()

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._changed)
        self.call_after_refresh(self._changed, self.screen)

    def on_unmount(self) -> None:
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _changed(self, screen: Screen[Any]) -> None:
        if self.is_attached and screen.app.app_focus and (found := keys_of(screen)) != self._keys:
            self._keys = found
            self.refresh()

    @property
    def shown(self) -> tuple[Key, ...]:
        """The keys that stand on the line."""
        return fitting(self._keys, self.size.width)

    def _spans(self) -> Iterator[tuple[Key, int, int]]:
        at = 0
        for key in self.shown:
            yield key, at, at + key.width - 1
            at += key.width

    def render(self) -> Content:
        parts: list[tuple[str, str]] = []
        for at, key in enumerate(self.shown):
            look = "" if key.enabled else " dim"
            over = " on $block-hover-background" if at == self.hovered else ""
            name = "$footer-key-foreground" if over else "$footer-description-foreground"
            parts += [(f"{key.shown} ", f"bold $footer-key-foreground{look}{over}"), (key.does, f"{name}{look}{over}"), (" ", "")]
        return Content.assemble(*parts)

    def _under(self, x: int) -> int | None:
        return next((at for at, (_, start, end) in enumerate(self._spans()) if start <= x < end), None)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self.hovered = self._under(event.x)

    def on_leave(self) -> None:
        self.hovered = None

    def on_click(self, event: events.Click) -> None:
        at = self._under(event.x)
        if at is None:
            return
        key = self.shown[at]
        if _SEVERAL.fullmatch(key.shown):
            return
        if key.enabled:
            self.app.simulate_key(key.key)
        else:
            self.app.bell()
