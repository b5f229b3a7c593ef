"""Keys in their order: Textual would let Ctrl+S, or a backspace, act before or after letters of the same burst."""

import asyncio
from contextlib import suppress

from textual.app import App

PATIENCE = 2.0
"""Seconds that a key waits for the letters before it."""


async def in_order(app: App[None], key: str) -> bool:
    """Lets a text field work off its letters before a key that is none. Whether the key was the field's own, and is done."""
    field = app.focused
    if field is None or not field.check_consume_key("a", "a"):
        return False  # it takes no letters
    done = asyncio.Event()
    if field.call_later(done.set):
        with suppress(TimeoutError):
            await asyncio.wait_for(done.wait(), PATIENCE)
    bound = app.screen.active_bindings.get(key)
    if bound is None or bound.node is not field or not bound.enabled:
        return False
    await app.run_action(bound.binding.action, field)
    return True
