"""Expressions as people type them, put into the formula language.

Here: implicit multiplication, ``×`` ``·`` ``÷`` ``^`` ``√``, superscripts, spellings of a symbol (``L_{r}``, ``Lᵣ``, ``Lr``), and
the little LaTeX that people paste (``\\frac{R}{N}``). Not here: what an expression is worth, and plain numbers
(``quizapp.scoring.numerals``). Nothing is guessed: what can be read in two ways is refused with both readings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from quizapp.model.formula import Formula, FormulaError
from quizapp.scoring.answer import AnswerError

MAX_CHARACTERS = 500
MAX_DEPTH = 40
FUNCTIONS = {"sqrt": 1, "exp": 1, "log": 1, "ln": 1, "abs": 1, "floor": 1, "ceil": 1, "min": 2, "max": 2}
"""Name -> number of arguments. A derivation's symbols are single numbers, so sums and means over ranks have no place in it."""

_SIGNS = {
    **dict.fromkeys("×⋅·∙•∗✕⨯＊\u2062", "*"),
    **dict.fromkeys("÷∕⁄／", "/"),
    **dict.fromkeys("−–—﹣－", "-"),
    **dict.fromkeys("\u00a0\u2009\u202f", " "),
    "＋": "+",
    "（": "(",
    "）": ")",
    "＝": "=",
    "√": " sqrt ",
}
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥ", "0123456789aeoxhklmnpstijruv", strict=True))
_GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "epsilon",
    "ζ": "zeta",
    "η": "eta",
    "θ": "theta",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "ν": "nu",
    "ξ": "xi",
    "π": "pi",
    "ρ": "rho",
    "σ": "sigma",
    "τ": "tau",
    "φ": "phi",
    "χ": "chi",
    "ψ": "psi",
    "ω": "omega",
    "Δ": "Delta",
    "Σ": "Sigma",
    "Λ": "Lambda",
    "Ω": "Omega",
}
_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z]+(?:_(?:\{[A-Za-z0-9]+\}|[A-Za-z0-9]+)|\d+)*)"
    r"|(?P<command>\\[A-Za-z]+)|(?P<sign>\*\*|[-+*/^(),\[\]{}])"
)
_EQUATION = re.compile(r"[A-Za-z_\\][\w\s\\{}.,'()-]*$")


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    spaced: bool
    """White space stands before it."""


def _latex(text: str) -> str:
    text = re.sub(r"\\(?:left|right|big|Big|bigl|bigr|displaystyle)(?![A-Za-z])\s*", "", text)
    text = re.sub(r"\\(?:text|mathrm|mathit|mathbf|mathcal|operatorname)\s*\{\s*([A-Za-z0-9]+)\s*\}", r"\1", text)
    text = re.sub(r"\\(?:cdot|times|ast)(?![A-Za-z])", "*", text)
    text = re.sub(r"\\div(?![A-Za-z])", "/", text)
    return re.sub(r"\\[,;:! ]|\\q?quad(?![A-Za-z])|~", " ", text)


def _plain(text: str) -> str:
    """Replaces signs, raised and lowered letters by their plain spelling."""
    out: list[str] = []
    previous = ""
    for sign in text:
        if sign in _RAISED:
            out.append(_RAISED[sign] if previous in _RAISED else f"^{_RAISED[sign]}")
        elif sign in _LOWERED:
            joined = previous in _LOWERED or previous == "_"
            out.append(_LOWERED[sign] if joined else f"_{_LOWERED[sign]}")
        elif sign in _GREEK:
            out.append(f" {_GREEK[sign]}" if previous.isalnum() else _GREEK[sign])
        else:
            out.append(_SIGNS.get(sign, sign))
        previous = sign
    return "".join(out)


def _right_side(text: str) -> str:
    """What stands after a leading ``loss =`` or ``=``."""
    left, equals, right = text.rpartition("=")
    if not equals:
        return text
    left = left.strip().rstrip(":")
    if left and not _EQUATION.match(left):
        raise AnswerError("Give one expression: there is more than one side to this equation.")
    return right


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    position, spaced = 0, False
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise AnswerError(
                f"The sign {text[position]!r} can't be read in an expression; write it with + - * / ^ and parentheses."
            )
        kind, position = match.lastgroup or "", match.end()
        if kind == "space":
            spaced = True
            continue
        tokens.append(_Token(kind, match.group(), spaced))
        spaced = False
    return tokens


def _spellings(symbols: Iterable[str]) -> Mapping[str, str]:
    """Spelling -> symbol: the symbol itself, and the symbol without underscores where nothing else is spelt so."""
    known = set(symbols)
    spelt = {symbol: symbol for symbol in known}
    short: dict[str, set[str]] = {}
    for symbol in known:
        short.setdefault(symbol.replace("_", ""), set()).add(symbol)
    for spelling, owners in short.items():
        if len(owners) == 1 and spelling not in known:
            spelt[spelling] = next(iter(owners))
    return spelt


def _splits(run: str, spelt: Mapping[str, str]) -> set[tuple[str, ...]]:
    """Every way to read a run of letters as a product of symbols."""
    ways: list[set[tuple[str, ...]]] = [{()}, *(set[tuple[str, ...]]() for _ in run)]
    for end in range(1, len(run) + 1):
        for spelling, symbol in spelt.items():
            start = end - len(spelling)
            if start >= 0 and ways[start] and run[start:end] == spelling:
                ways[end] |= {tuple(sorted((*way, symbol))) for way in list(ways[start])[:8]}
    return ways[-1]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


class _Reader:
    """Recursive descent over the tokens; each method returns formula text in parentheses."""

    def __init__(self, tokens: list[_Token], symbols: Iterable[str]) -> None:
        self.tokens = tokens
        self.symbols = tuple(symbols)
        self.spelt = _spellings(self.symbols)
        self.at = 0
        self.depth = 0

    def peek(self) -> _Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def sees(self, *texts: str) -> bool:
        token = self.peek()
        return token is not None and token.kind == "sign" and token.text in texts

    def take(self) -> _Token:
        token = self.peek()
        if token is None:
            raise AnswerError("The expression ends too early: something is missing after its last sign.")
        self.at += 1
        return token

    def sum(self) -> str:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise AnswerError("The expression is nested too deeply.")
        left = self.product()
        while self.sees("+", "-"):
            left = f"({left}{self.take().text}{self.product()})"
        self.depth -= 1
        return left

    def product(self) -> str:
        left = self.signed()
        divided: str | None = None
        while True:
            if self.sees("*", "/"):
                sign = self.take().text
                right = self.signed()
                divided = right if sign == "/" else None
                left = f"({left}{sign}{right})"
            elif self.starts_factor():
                if divided is not None:
                    self.two_readings()
                left = f"({left}*{self.power()})"
            else:
                return left

    def starts_factor(self) -> bool:
        token = self.peek()
        if token is None:
            return False
        if token.kind == "number":
            raise AnswerError(f"What joins {token.text} to what stands before it? Write * for times or ^ for a power.")
        return token.kind in ("name", "command") or token.text in ("(", "[", "{")

    def two_readings(self) -> None:
        divisor, factor = self.tokens[self.at - 1].text, self.tokens[self.at].text
        raise AnswerError(
            f"A product without a sign right after a division can be read in two ways (is {factor!r} above or below the line, "
            f"with {divisor!r}?): write a *, or put parentheses around what belongs together."
        )

    def signed(self) -> str:
        flips = 0
        while self.sees("+", "-"):
            flips += self.take().text == "-"
        value = self.power()
        return f"(-{value})" if flips % 2 else value

    def power(self) -> str:
        base = self.atom()
        if not self.sees("^", "**"):
            return base
        self.take()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise AnswerError("The expression is nested too deeply.")
        exponent = self.signed()
        self.depth -= 1
        return f"({base}**{exponent})"

    def closed(self, opening: str) -> str:
        value = self.sum()
        closing = {"(": ")", "[": "]", "{": "}"}[opening]
        if not self.sees(closing):
            raise AnswerError(f"A {opening!r} is never closed: a {closing!r} is missing.")
        self.take()
        return value

    def braced(self, command: str) -> str:
        if not self.sees("{"):
            raise AnswerError(f"{command} wants its parts in braces, as in \\frac{{a}}{{b}}.")
        return self.closed(self.take().text)

    def atom(self) -> str:
        token = self.take()
        if token.kind == "number":
            return token.text.lstrip("0") if re.fullmatch(r"0+[1-9]\d*", token.text) else token.text
        if token.kind == "name":
            return self.name(token.text.replace("{", "").replace("}", ""))
        if token.kind == "command":
            return self.command(token.text)
        if token.text in ("(", "[", "{"):
            return self.closed(token.text)
        raise AnswerError(f"A number or a symbol is missing before {token.text!r}.")

    def command(self, text: str) -> str:
        name = text[1:]
        if name in ("frac", "dfrac", "tfrac"):
            top = self.braced(text)
            return f"({top}/{self.braced(text)})"
        if name == "sqrt":
            return f"sqrt({self.braced(text)})"
        if name in FUNCTIONS or name in _GREEK.values() or name in self.spelt:
            return self.name(name)
        raise AnswerError(f"{text} can't be read here; write the expression with + - * / ^ and parentheses.")

    def name(self, name: str) -> str:
        if name in self.spelt:
            return self.spelt[name]
        if name in FUNCTIONS:
            return self.call(name)
        ways = _splits(name, self.spelt)
        if len(ways) > 1:
            raise AnswerError(f"{name!r} can be read as more than one product: put * between its symbols.")
        if ways:
            return f"({'*'.join(next(iter(ways)))})"
        raise AnswerError(f"{name!r} is not a symbol of this question; known are {_listed(self.symbols)}.")

    def call(self, name: str) -> str:
        formula = "log" if name == "ln" else name
        if name == "sqrt" and not self.sees("(", "[", "{"):
            return f"sqrt({self.atom()})"
        if not self.sees("(", "[", "{"):
            raise AnswerError(f"{name} wants parentheses, as in {name}(...).")
        opening = self.take().text
        arguments = [self.sum()]
        while self.sees(","):
            self.take()
            arguments.append(self.sum())
        closing = {"(": ")", "[": "]", "{": "}"}[opening]
        if not self.sees(closing):
            raise AnswerError(f"A {opening!r} is never closed: a {closing!r} is missing.")
        self.take()
        if FUNCTIONS[name] == 1 and len(arguments) > 1:
            raise AnswerError(f"{name} takes one argument.")
        return f"{formula}({','.join(arguments)})"


def read_expression(answer: str, symbols: Iterable[str]) -> Formula:
    """Reads an expression in the given symbols.

    Raises:
        AnswerError: not an expression, an unknown symbol, or one that can be read in two ways.
    """
    if len(answer) > MAX_CHARACTERS:
        raise AnswerError(f"The expression is longer than {MAX_CHARACTERS} characters.")
    text = _latex(_plain(answer.strip().strip("`$").strip()))
    text = _right_side(text).strip().rstrip(".;").rstrip().strip("`$")
    tokens = _tokens(text)
    names = tuple(symbols)
    if not tokens:
        raise AnswerError(f"Write an expression in {_listed(names)}.")
    reader = _Reader(tokens, names)
    source = reader.sum()
    left = reader.peek()
    if left is not None:
        raise AnswerError(f"The {left.text!r} doesn't fit here: it closes or parts nothing.")
    try:
        return Formula.parse(source)
    except FormulaError:
        # Everything but its size was settled above.
        raise AnswerError("The expression is too long; write it more briefly.") from None
