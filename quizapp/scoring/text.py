"""Scores a written answer against its rubric: which criteria are met, by which words, and which claims stand against them.

Here: the decisions and their reasons. Words are ``quizapp.scoring.words``, clauses and polarity ``quizapp.scoring.clauses``, the
strength of support ``quizapp.scoring.lexical``. An answer is only ever text: whatever it asks of the scorer is not heard.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from quizapp.model.rubric import Rubric
from quizapp.model.score import CriterionScore, Met, Score, score_of
from quizapp.scoring.answer import MAX_CHARACTERS, AnswerError, sentence
from quizapp.scoring.clauses import MAX_WINDOW_WORDS, Clause, Window, in_another_language, is_list, split, window, windows
from quizapp.scoring.lexical import (
    NOTHING,
    UNSURE,
    ReadyCriterion,
    ReadyMisconception,
    ReadyRubric,
    Support,
    best_phrase,
    cover_groups,
    negated,
    pairs,
    ready,
    support,
    to_the_point,
)
from quizapp.scoring.words import Word, read_words

REJECTED = 0.6
"""Coverage of a reject phrase from which a clause denies the criterion."""
CLOSE = 0.05
"""Coverages so near each other that the one of more words is the nearer."""
SHOWN = 0.6
"""Coverage of a misconception's phrase from which it is shown."""
SCOPE = 8
"""Words after a negator that it denies."""
FEWEST_WORDS = 3
FEWEST_NEW_WORDS, ECHOED = 2, 0.67
"""Fewer content words beside the question's own, and this share of neighbouring pairs from the question: an echo."""
DENSE_SHARE, DENSE_CRITERIA, DENSE_WORDS = 0.6, 3, 30
"""A sentence that is mostly terms and would meet so many criteria in so few words strings terms together."""
REGEX_SECONDS = 0.1
MAX_QUOTE = 90

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Claim:
    """A place in the answer that speaks for or against something."""

    support: Support
    first: int
    last: int
    spans: Spans


@dataclass(frozen=True, slots=True)
class _Finding:
    """All that is known about one criterion."""

    best: _Claim | None
    denial: _Claim | None


def _spans(words: Iterable[Word], all_words: Sequence[Word]) -> Spans:
    """Spans of the words, joined where at most two other words stand between."""
    place = {word.start: at for at, word in enumerate(all_words)}
    spans: list[list[int]] = []
    last = -10
    for word in sorted(words, key=lambda word: word.start):
        at = place.get(word.start, last + 10)
        if spans and at - last <= 3:
            spans[-1][1] = max(spans[-1][1], word.end)
        else:
            spans.append([word.start, word.end])
        last = at
    return tuple((start, end) for start, end in spans)


def _quote(answer: str, spans: Spans) -> str:
    """The words from the first span to the last, shortened in the middle."""
    if not spans:
        return ""
    text = " ".join(answer[spans[0][0] : spans[-1][1]].split())
    if len(text) > MAX_QUOTE:
        text = f"{text[: MAX_QUOTE // 2].rstrip()} … {text[-MAX_QUOTE // 2 :].lstrip()}"
    return f"“{text}”"


def _denied_words(clause: Clause) -> list[Word]:
    return [word for at in clause.negators for word in clause.words[at + 1 : at + 1 + SCOPE] if word.content]


def _refutes(clause: Clause, misconceptions: Sequence[ReadyMisconception]) -> bool:
    """Whether the clause denies a misconception, which is no denial of anything asked for."""
    if not negated(clause.words):
        return False
    return any(
        (denied := best_phrase(known.refute, clause.words)).strength >= SHOWN
        and denied.phrase is not None
        and denied.phrase.negated
        for known in misconceptions
    )


def _denial(known: ReadyCriterion, clause: Clause, rubric: ReadyRubric) -> Support:
    """How strongly a clause says the opposite of what the criterion asks for; nothing where it doesn't."""
    said = best_phrase(known.accept, clause.words, known.stand_ins)
    supported = support(known, window((clause,), 0, 0)).strength
    against = max(
        (
            found
            for phrase in known.reject
            if (found := best_phrase((phrase,), clause.words)).strength >= REJECTED
            and to_the_point(found, clause.words)
            and phrase.negated == (negated(clause.words) or (clause.no_effect and phrase.negated))
        ),
        key=lambda found: found.strength,
        default=NOTHING,
    )
    if clause.distanced:
        return NOTHING
    nearer = against.strength > supported or (against.strength > supported - CLOSE and len(against.words) > len(said.words))
    if not clause.conditional and against.strength and nearer:
        return against
    share, grouped = cover_groups(known.groups, clause.words)
    about = (share >= 0.5 and bool(grouped)) or said.strength >= 0.4
    if clause.no_effect and not clause.conditional and about:
        return Support(1.0, grouped or said.words)
    denied = {word.key for word in _denied_words(clause)} & known.terms - rubric.question
    agrees = best_phrase((phrase for phrase in known.accept if phrase.negated), clause.words).strength >= 0.4
    if denied and (share >= 0.6 or said.strength >= 0.5) and not agrees and not _refutes(clause, rubric.misconceptions):
        return Support(max(share, said.strength), grouped or said.words)
    return NOTHING


def _echoes(words: Iterable[Word], rubric: ReadyRubric) -> bool:
    """Whether the words, and most of their neighbourhoods, are the question's."""
    content = [word for word in words if word.content]
    given = pairs(content)
    new = {word.key for word in content} - rubric.question
    return len(new) < FEWEST_NEW_WORDS and len(given & rubric.question_pairs) >= ECHOED * len(given)


def _regex_claim(known: ReadyCriterion, answer: str, clauses: Sequence[Clause]) -> _Claim | None:
    import regex

    for pattern in known.criterion.regex:
        try:
            match = regex.search(pattern, answer, regex.IGNORECASE, timeout=REGEX_SECONDS)
        except (TimeoutError, regex.error):
            continue
        if match and match.end() > match.start():
            at = next((index for index, clause in enumerate(clauses) if clause.end > match.start()), 0)
            return _Claim(Support(1.0), at, at, ((match.start(), match.end()),))
    return None


def _is_whole_answer(known: ReadyRubric, answer: str) -> bool:
    """Whether a pattern written for whole answers (``^...$``) fits: a word may be all that is asked for."""
    patterns = (pattern for criterion in known.criteria for pattern in criterion.criterion.regex)
    given = answer.strip()
    return bool(given) and any(_fits(text, given) for text in patterns if text.startswith("^") and text.endswith("$"))


def _fits(pattern: str, answer: str) -> bool:
    import regex

    try:
        return regex.search(pattern, answer, regex.IGNORECASE, timeout=REGEX_SECONDS) is not None
    except (TimeoutError, regex.error):
        return False


def _find(known: ReadyCriterion, answer: str, clauses: Sequence[Clause], views: Sequence[Window], rubric: ReadyRubric) -> _Finding:
    """The best support for a criterion that no denial in the same window spoils, and the last denial."""
    denials: dict[int, Support] = {}
    for at, clause in enumerate(clauses):
        found = _denial(known, clause, rubric)
        if found.strength:
            denials[at] = found
    best = _regex_claim(known, answer, clauses)
    for view in views:
        if any(at in denials for at in range(view.first, view.last + 1)) or len(view.words) > MAX_WINDOW_WORDS:
            continue
        if any(clause.reported for clause in view.clauses):
            continue
        found = support(known, view)
        strength = found.strength * (1.0 if view.first == view.last else 0.97)
        if best is not None and strength <= best.support.strength:
            continue
        if not found.words or _echoes(view.words, rubric):
            continue
        best = _Claim(Support(strength, found.words, found.phrase), view.first, view.last, _spans(found.words, view.words))
    if not denials:
        return _Finding(best, None)
    last = max(denials)
    clause = clauses[last]
    return _Finding(best, _Claim(denials[last], last, last, ((clause.start, clause.end),)))


def _strung(findings: Sequence[_Finding], clauses: Sequence[Clause], rubric: ReadyRubric) -> set[int]:
    """Clauses of sentences that string terms of several criteria together without claiming anything."""
    strung: set[int] = set()
    terms = frozenset[str]().union(*(known.terms for known in rubric.criteria))
    for number in {clause.sentence for clause in clauses}:
        places = [at for at, clause in enumerate(clauses) if clause.sentence == number]
        words = [word for at in places for word in clauses[at].words]
        content = [word for word in words if word.content]
        met = sum(
            finding.best is not None
            and finding.best.support.strength >= known.threshold
            and places[0] <= finding.best.first
            and finding.best.last <= places[-1]
            for known, finding in zip(rubric.criteria, findings, strict=True)
        )
        dense = sum(word.key in terms for word in content) >= DENSE_SHARE * len(content)
        bare = len(content) >= DENSE_SHARE * len(words)
        if met >= DENSE_CRITERIA and dense and bare and len(words) < DENSE_WORDS:
            strung.update(places)
    return strung


def _shown(
    known: ReadyMisconception, criteria: Sequence[ReadyCriterion], clauses: Sequence[Clause], views: Sequence[Window]
) -> _Claim | None:
    """Where a misconception is stated last, unless something right is nearer, or it is refuted there or later."""
    stated: _Claim | None = None
    refuted = -1
    for at, clause in enumerate(clauses):
        refutation = best_phrase(known.refute, clause.words)
        mention = best_phrase(known.accept, clause.words)
        denies = negated(clause.words) or clause.distanced
        matches = refutation.phrase is not None and refutation.phrase.negated == negated(clause.words)
        if (refutation.strength >= max(SHOWN, mention.strength) and matches) or (
            denies and mention.strength >= 0.5 and not _agrees(mention, clause)
        ):
            refuted = at
    for view in views:
        if view.last - view.first > 1 or any(clause.supposing or clause.distanced for clause in view.clauses):
            continue
        found = best_phrase(known.accept, view.words)
        if found.strength < SHOWN or found.phrase is None or not to_the_point(found, view.words):
            continue
        refutes = (phrase for phrase in known.refute if phrase.negated == negated(view.words))
        against = best_phrase((*refutes, *(phrase for criterion in criteria for phrase in criterion.accept)), view.words)
        if found.strength <= against.strength:
            continue
        if negated(view.words) and not found.phrase.negated:
            continue
        if not negated(view.words) and found.phrase.negated and found.strength < 0.8:
            continue
        if stated is None or view.first > stated.last or found.strength > stated.support.strength:
            stated = _Claim(found, view.first, view.last, _spans(found.words, view.words))
    return stated if stated is not None and refuted < stated.last else None


def _agrees(mention: Support, clause: Clause) -> bool:
    return mention.phrase is not None and mention.phrase.negated and negated(clause.words)


def _criterion(known: ReadyCriterion, points: int, met: Met, reason: str, spans: Spans = ()) -> CriterionScore:
    criterion = known.criterion
    return CriterionScore(id=criterion.id, points=points, max_points=criterion.points, met=met, evidence=spans, reason=reason)


def _judged(
    known: ReadyCriterion, finding: _Finding, answer: str, strung: set[int], cancelled: tuple[str, _Claim] | None
) -> CriterionScore:
    """One criterion's points and the sentence that explains them."""
    asked = sentence(known.criterion.description)
    best, denial = finding.best, finding.denial
    if cancelled is not None:
        title, claim = cancelled
        return _criterion(known, 0, "unmet", sentence(f"{_quote(answer, claim.spans)} stands against it: {title}"), claim.spans)
    strength = best.support.strength if best else 0.0
    enough, near = strength >= known.threshold, strength >= known.threshold - UNSURE
    if denial is not None and (best is None or not enough):
        return _criterion(
            known, 0, "unmet", f"{_quote(answer, denial.spans)} says the opposite of what is asked for: {asked}", denial.spans
        )
    if best is None or not near:
        return _criterion(known, 0, "unmet", f"Missing: {asked}")
    if denial is not None and denial.last > best.last:
        reason = f"You say {_quote(answer, best.spans)}, and later {_quote(answer, denial.spans)}: the two don't hold together."
        return _criterion(known, 0, "unmet", reason, denial.spans)
    if strung & set(range(best.first, best.last + 1)):
        return _criterion(known, 0, "unmet", f"Terms in a row claim nothing; say what they do. Missing: {asked}")
    if enough:
        return _criterion(known, known.criterion.points, "met", f"Met by {_quote(answer, best.spans)}.", best.spans)
    return _criterion(
        known, 0, "unsure", f"{_quote(answer, best.spans)} comes near, but it isn't clear that it says this: {asked}", best.spans
    )


def _nothing(rubric: ReadyRubric, reason: str, met: Met = "unmet") -> Score:
    criteria = tuple(_criterion(known, 0, met, reason) for known in rubric.criteria)
    return score_of(criteria, (), None if met == "unsure" else _follow_up(rubric, criteria, ()))


def _follow_up(rubric: ReadyRubric, criteria: Sequence[CriterionScore], shown: Sequence[str]) -> str | None:
    """The question to ask next: of a shown misconception first, then of the weightiest criterion that isn't met."""
    for misconception in rubric.misconceptions:
        if misconception.shown.id in shown and misconception.shown.follow_up:
            return misconception.shown.follow_up
    open_criteria = [
        (-known.criterion.points, known.criterion.follow_up)
        for known, scored in zip(rubric.criteria, criteria, strict=True)
        if scored.met != "met" and known.criterion.follow_up
    ]
    return min(open_criteria, key=lambda entry: entry[0])[1] if open_criteria else None


def score_text(rubric: Rubric, stem: str, answer: str, titles: Mapping[str, str]) -> Score:
    """Scores a written answer.

    Args:
        stem: the question as shown; repeating it earns nothing.
        titles: misconception id -> title.

    Raises:
        AnswerError: the answer is longer than ``MAX_CHARACTERS``.
    """
    if len(answer) > MAX_CHARACTERS:
        raise AnswerError(f"An answer of over {MAX_CHARACTERS} characters is too long to score; say it more briefly.")
    known = ready(rubric, stem)
    words = read_words(answer, known.spelling)
    content = {word.key for word in words if word.content}
    if not _is_whole_answer(known, answer):
        if not words:
            return _nothing(known, "The answer is empty.")
        if in_another_language(words):
            return _nothing(
                known,
                "This doesn't seem to be English, and only English answers can be scored here; nothing is held against it.",
                "unsure",
            )
        if len(words) < FEWEST_WORDS:
            return _nothing(known, "The answer is too short to say what is asked for.")
        if len(content - known.question) <= 0.2 * len(content) and _echoes(words, known):
            return _nothing(known, "The answer repeats the question; say what lies behind it.")
        if is_list(answer, words):
            return _nothing(known, "A list of terms claims nothing; say in sentences what they do.")

    clauses = split(answer, words)
    views = tuple(windows(clauses))
    findings = [_find(criterion, answer, clauses, views, known) for criterion in known.criteria]
    strung = _strung(findings, clauses, known)
    shown = {
        m.shown.id: (m, claim) for m in known.misconceptions if (claim := _shown(m, known.criteria, clauses, views)) is not None
    }
    cancels = {
        target: (titles.get(id, id), claim)
        for id, (misconception, claim) in shown.items()
        for target in misconception.shown.cancels
    }
    criteria = tuple(
        _judged(criterion, finding, answer, strung, cancels.get(criterion.criterion.id))
        for criterion, finding in zip(known.criteria, findings, strict=True)
    )
    return score_of(criteria, tuple(shown), _follow_up(known, criteria, tuple(shown)))
