"""What stands on the screen, as text."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

Act = Callable[[Pilot[object]], Awaitable[None]]
"""What is done in an app."""
Picture = Callable[[App[None], type[Screen[Any]], Act], bool]
"""Takes a picture of a screen, which must be of that very class; a fixture."""
PATIENCE = 120.0
"""Seconds after which what hasn't come has failed; beside other work an app may be very slow."""


def shown(app: App[object]) -> str:
    """The screen's lines, as the terminal would show them."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


def unwrapped(text: str) -> str:
    """The text without blanks and borders: where lines break hangs on how long a path is."""
    return "".join(character for character in text if not character.isspace() and character not in "█▌▁▂▃▄▅▆▇│")


async def typed(pilot: "Pilot[object]", text: str) -> None:
    """Types a text key by key."""
    names = {" ": "space", "\n": "enter", "/": "slash"}
    await pilot.press(*(names.get(character, character) for character in text))


async def until(pilot: "Pilot[object]", words: str) -> str:
    """Waits until the words stand on the screen; gives the screen's text."""
    for _ in range(int(PATIENCE / 0.05)):
        await pilot.pause(0.05)
        text = shown(pilot.app)
        if words in text:
            return text
    raise AssertionError(f"{words!r} is not on the screen:\n{shown(pilot.app)}")


async def until_holds(pilot: "Pilot[object]", holds: Callable[[], object]) -> None:
    """Waits until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"it never held:\n{shown(pilot.app)}"
        await asyncio.sleep(0.02)


def wait_for(words: str, *keys: str) -> Act:
    """Presses the keys, waits until the words stand on the screen, and a little longer."""

    async def act(pilot: Pilot[object]) -> None:
        if keys:
            await pilot.press(*keys)
        await until(pilot, words)
        await pilot.pause(0.1)

    return act


def in_turn(*acts: Act) -> Act:
    """One after another."""

    async def act(pilot: Pilot[object]) -> None:
        for one in acts:
            await one(pilot)

    return act
