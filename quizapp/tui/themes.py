"""How the app looks: dark, light, high contrast, no colour. Remembered in the learner's file; ``NO_COLOR`` goes before that.

A colour only ever repeats what a sign, a word or an inverted line already says, so that the last one loses nothing.
"""

from collections.abc import Mapping
from dataclasses import replace

from textual.theme import BUILTIN_THEMES, Theme

DARK, LIGHT, CONTRAST, NO_COLOUR = "textual-dark", "light", "high-contrast", "no-colour"
LOOKS: Mapping[str, str] = {DARK: "dark", LIGHT: "light", CONTRAST: "high contrast", NO_COLOUR: "no colour"}
"""Theme -> its name for people, in the order in which ``t`` on the home screen goes through them."""
SETTING = "theme"
"""The name under which the store keeps it."""

DAYLIGHT = replace(
    BUILTIN_THEMES["textual-light"],
    name=LIGHT,
    text_alpha=1.0,
    variables={
        **BUILTIN_THEMES["textual-light"].variables,
        "text-success": "#1b5e20",
        "text-warning": "#7a4a00",
        "text-accent": "#7a4a00",
        "foreground-muted": "#4a4a4a",
        "text-muted": "#4a4a4a",
        "primary-muted": "#d4e1ec",
        "footer-key-foreground": "#003a66",
    },
)
"""Textual's own light one, whose greens and oranges are too pale to read, with darker ones."""
HIGH_CONTRAST = Theme(
    name=CONTRAST,
    primary="#ffd700",
    secondary="#00ffff",
    accent="#00ffff",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#1c1c1c",
    success="#00ff5f",
    warning="#ffd700",
    error="#ff8787",
    dark=True,
    text_alpha=1.0,
    variables={
        "foreground-muted": "#ffffff",
        "text-muted": "#ffffff",
        "border": "#ffffff",
        "block-cursor-background": "#ffd700",
        "block-cursor-foreground": "#000000",
        "primary-muted": "#202048",
        "footer-key-foreground": "#ffd700",
        "input-selection-background": "#0000af",
        "border-blurred": "#9e9e9e",
    },
)
COLOURLESS = Theme(
    name=NO_COLOUR,
    ansi=True,
    primary="ansi_default",
    secondary="ansi_default",
    warning="ansi_default",
    error="ansi_default",
    success="ansi_default",
    accent="ansi_default",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    dark=True,
    variables={
        "ansi-background": "ansi_default",
        "ansi-foreground": "ansi_default",
        "block-cursor-foreground": "ansi_default",
        "block-cursor-background": "ansi_default",
        "block-cursor-text-style": "reverse",
        "block-cursor-blurred-text-style": "bold",
        "input-cursor-background": "ansi_default",
        "input-cursor-foreground": "ansi_default",
        "input-selection-background": "ansi_default",
        "input-selection-foreground": "ansi_default",
        "screen-selection-background": "ansi_default",
        "screen-selection-foreground": "ansi_default",
        "input-cursor-text-style": "reverse",
        "footer-key-foreground": "ansi_default",
        "foreground-muted": "ansi_default",
        "text-muted": "ansi_default",
        "primary-muted": "ansi_default",
        "border": "ansi_default",
        "border-blurred": "ansi_default",
    },
)

OWN = (DAYLIGHT, HIGH_CONTRAST, COLOURLESS)
"""What the app registers beside Textual's."""


def following(theme: str) -> str:
    """The look after this one; the first after any theme that is none of them."""
    names = list(LOOKS)
    return names[(names.index(theme) + 1) % len(names)] if theme in names else names[0]
