"""What denies a criterion, clause by clause: the opposite said, an effect denied, a negation that none of its phrases has.

Here: denials and what excuses them. Not here: how strongly an answer supports a criterion, and what follows for it
(``quizapp.scoring.claims``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quizapp.scoring.clauses import Clause, Window, adverse, excess, window
from quizapp.scoring.groups import cover_groups
from quizapp.scoring.lexical import (
    NOTHING,
    ROUNDING,
    Phrase,
    ReadyCriterion,
    ReadyMisconception,
    ReadyRubric,
    Support,
    best_phrase,
    cover,
    covered,
    to_the_point,
)
from quizapp.scoring.support import support
from quizapp.scoring.wording import Wording
from quizapp.scoring.words import Word

REPEATED = 0.75
"""Coverage of a reject phrase from which several clauses together say it."""
REJECTED = 0.6
"""Coverage of a reject phrase from which a clause denies the criterion."""
ABOUT = 0.33
"""Share of a criterion's concept groups that a clause touches where it speaks of what the criterion asks for."""
AGREEING = 0.4
"""Coverage of a phrase with a negation from which an answer's negation may be the phrase's own."""
LONG = 3
"""Words of an answer that tell a phrase from a shorter one that happens to be near."""
CLOSE = 0.05
"""Coverages so near each other that the one of more words is the nearer."""
SHOWN = 0.55
"""Coverage of a misconception's phrase from which it is shown."""
CONTRASTING = frozenset({"but", "rather", "instead", "it"})
"""Words of a clause that says what holds instead of what the clause before it denies."""
CONCEDING = frozenset({"matter", "regardless", "irrespective", "despite", "although", "though"})
"""In a clause with these, what a wrong phrase says is granted, not held."""
CONTRASTED = 0.35


def agrees(known: ReadyCriterion, words: Wording, denied: Iterable[Word], needless: bool) -> bool:
    """Whether the criterion itself has what is denied, or is called needless, denied: then it is no denial of it."""
    nearest = best_phrase(known.freely, words)
    enough, least = max(AGREEING, nearest.strength - CLOSE), min(LONG, len(nearest.words))
    keys, stand_ins = {word.key for word in denied}, known.freely.stand_ins
    for phrase, share in zip(known.freely, covered(known.freely, words).shares, strict=True):
        if phrase.order & words.told and not needless and not any((b, a) in words.told for a, b in phrase.order):
            return True  # ``never clip before unscaling``: the negation is part of the order
        if share < enough - ROUNDING or not (phrase.needless if needless else phrase.negated):
            continue
        found = cover(phrase, words, stand_ins)
        if found.strength < enough or len(found.words) < least:
            continue
        contested = keys & ({word.key for word in found.words} | known.terms)
        if needless or 2 * len(contested & (phrase.denied | phrase.unable)) >= max(1, len(contested)):
            return True
    if needless:
        return False
    keys &= known.terms
    return any(
        2 * len((phrase.denied | phrase.unable) & keys) > len(keys) and cover(phrase, words, stand_ins).strength >= AGREEING
        for phrase in known.described
    )


def refutes(clause: Clause, misconceptions: Sequence[ReadyMisconception], known: ReadyCriterion) -> bool:
    """Whether the clause denies a misconception, and isn't nearer to the criterion: then it is no denial of that."""
    if not clause.words.negated:
        return False
    least = max(SHOWN, best_phrase(known.freely, clause.words).strength)
    return any(
        (denied := best_phrase(misconception.refute, clause.words)).strength >= least
        and denied.phrase is not None
        and denied.phrase.negated
        for misconception in misconceptions
    )


def denial(known: ReadyCriterion, clause: Clause, rubric: ReadyRubric) -> Support:
    """How strongly a clause says the opposite of what the criterion asks for; nothing where it doesn't."""
    if clause.words[0].foil or clause.distanced or is_purpose(clause):
        return NOTHING  # ``not the ranks that time out``: set against what was said before
    clause = clause.as_meant
    words = clause.words
    against = NOTHING if clause.conditional else _against(known, clause)
    if not (against.strength or clause.no_effect or clause.denied):
        return NOTHING
    said = best_phrase(known.freely, words)
    share, grouped = cover_groups(known.groups, words)
    if against.strength:
        supported = support(known, window((clause,), 0, 0)).strength
        if against.strength > supported or (against.strength > supported - CLOSE and len(against.words) > len(said.words)):
            return against
    about = (share >= 0.5 and bool(grouped)) or said.strength >= 0.4
    if clause.no_effect and not clause.conditional and about and not agrees(known, words, clause.denied, True):
        return Support(1.0, grouped or said.words)
    contested = {word.key for word in clause.denied} & ((known.terms - rubric.question) | {word.key for word in said.words})
    if not contested or (share < 0.6 and said.strength < 0.5) or agrees(known, words, clause.denied, False):
        return NOTHING
    return NOTHING if refutes(clause, rubric.misconceptions, known) else Support(max(share, said.strength), grouped or said.words)


def is_purpose(clause: Clause) -> bool:
    """``cleared, so that no NaN stays``: what is avoided by what was said before."""
    return tuple(word.text for word in clause.words[:2]) == ("so", "that")


def _against(known: ReadyCriterion, clause: Clause) -> Support:
    """The best covered reject phrase that a clause holds to be so."""
    words = clause.words
    if covered(known.reject, words).strength < REJECTED:
        return NOTHING
    if (known.groups and cover_groups(known.groups, words)[0] < ABOUT) or any(word.text in CONCEDING for word in words):
        return NOTHING
    best = NOTHING
    for phrase, most in zip(known.reject, covered(known.reject, words).shares, strict=True):
        of_its_kind = phrase.negated == words.negated or (clause.no_effect and phrase.negated)
        if most < max(REJECTED, best.strength) - ROUNDING or not of_its_kind:
            continue
        found = cover(phrase, words)
        in_order = not phrase.order or phrase.order & words.told
        if found.strength >= REJECTED and found.strength > best.strength and in_order and to_the_point(found, words):
            best = found
    return NOTHING if best.phrase is not None and told_as_wrong(best.phrase, clause) else best


def rejected(known: ReadyCriterion, view: Window) -> bool:
    """Whether some clauses together are a reject phrase, nearly whole, more than any accepted one."""
    wrong = known.reject.negated[view.words.negated]
    if covered(wrong, view.words).strength < REPEATED:
        return False
    found = best_phrase(wrong, view.words)
    return (
        found.phrase is not None
        and found.strength >= max(REPEATED, best_phrase(known.accept, view.words).strength + CLOSE)
        and to_the_point(found, view.words)
        and not any(told_as_wrong(found.phrase, clause) or clause.distanced for clause in view.clauses)
    )


def contrasted(known: ReadyCriterion, clauses: Sequence[Clause], at: int) -> bool:
    """Whether what a clause denies is only the foil of what the next one says: *not inside the window, but after it*."""
    if at + 1 >= len(clauses) or clauses[at].no_effect or clauses[at + 1].words[0].text not in CONTRASTING:
        return False
    return support(known, window(clauses, at + 1, at + 1)).strength >= CONTRASTED


def turned_round(known: ReadyCriterion, found: Support, view: Window, clauses: Sequence[Clause], rubric: ReadyRubric) -> bool:
    """Whether a negator denies some of the words that support a criterion, and the criterion doesn't itself deny them."""
    said = {word.start for word in found.words}
    denied: list[Word] = []
    for at, clause in enumerate(view.clauses, view.first + 1):
        if (
            not contrasted(known, clauses, at - 1)
            and said & {word.start for word in clause.denied}
            and not refutes(clause, rubric.misconceptions, known)
        ):
            denied += clause.denied
    return bool(denied) and not agrees(known, view.words, denied, False)


def told_as_wrong(phrase: Phrase, clause: Clause) -> bool:
    """Whether the clause tells of harm or of a difference that the phrase doesn't tell of: it is named, not held."""
    for at, word in enumerate(clause.words):
        too = excess(clause.words, at)
        if (
            (too or adverse(word) or word.key == "~differ")
            and word.key not in phrase.weights
            and word.text not in phrase.text.casefold()
        ):
            return True
    return False
