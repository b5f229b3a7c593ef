"""Scores a written answer against its rubric: which criteria are met, by which words, and which claims stand against them.

Here: points, and the sentences that explain them. What an answer claims is ``quizapp.scoring.claims``. An answer is only ever
text: whatever it asks of the scorer is not heard.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quizapp.model.rubric import Rubric
from quizapp.model.score import CriterionScore, Met, Score, score_of
from quizapp.scoring.answer import MAX_CHARACTERS, AnswerError, sentence
from quizapp.scoring.beliefs import read, stated
from quizapp.scoring.claims import (
    VERBATIM,
    Claim,
    Finding,
    Spans,
    echoes,
    find,
    is_whole_answer,
    strung_together,
)
from quizapp.scoring.clauses import Clause, split, window, windows
from quizapp.scoring.denial import SHOWN
from quizapp.scoring.fluff import is_list, says_nothing_of_its_own
from quizapp.scoring.lexical import UNSURE, ReadyCriterion, ReadyRubric, best_phrase, ready
from quizapp.scoring.tier import Tier, present
from quizapp.scoring.verbatim import word_for_word
from quizapp.scoring.whole import NEAR_WHOLE, settled
from quizapp.scoring.words import in_another_language, read_words

FEWEST_WORDS = 3
MAX_QUOTE = 90
FEWEST_SHOWN = 3
"""Fewer words show nobody what earned the point: then the clauses do in which they stand."""


def _quote(answer: str, spans: Spans) -> str:
    """The words from the first span to the last, shortened in the middle."""
    if not spans:
        return ""
    text = " ".join(answer[spans[0][0] : spans[-1][1]].split())
    if len(text) > MAX_QUOTE:
        text = f"{text[: MAX_QUOTE // 2].rstrip()} … {text[-MAX_QUOTE // 2 :].lstrip()}"
    return f"“{text}”"


def _shown(claim: Claim | None, clauses: Sequence[Clause]) -> Spans:
    """The words that make a claim, or the clauses where it stands."""
    if claim is None:
        return ()
    if not claim.support.words or len(claim.support.words) >= FEWEST_SHOWN:
        return claim.spans
    return tuple((clause.start, clause.end) for clause in clauses[claim.first : claim.last + 1])


def _criterion(known: ReadyCriterion, points: int, met: Met, reason: str, spans: Spans = ()) -> CriterionScore:
    criterion = known.criterion
    return CriterionScore(id=criterion.id, points=points, max_points=criterion.points, met=met, evidence=spans, reason=reason)


def _judged(
    known: ReadyCriterion,
    finding: Finding,
    answer: str,
    shown: Spans,
    strung: bool,
    runs_on: bool,
    said: int,
    cancelled: tuple[str, Claim] | None,
) -> CriterionScore:
    """One criterion's points and the sentence that explains them."""
    asked = sentence(known.criterion.description)
    best, denial = finding.best, finding.denial
    if cancelled is not None:
        title, claim = cancelled
        return _criterion(known, 0, "unmet", sentence(f"{_quote(answer, claim.spans)} stands against it: {title}"), claim.spans)
    strength = best.support.strength if best else 0.0
    enough, near = strength >= known.threshold, strength >= known.threshold - UNSURE
    claimed = finding.claimed >= known.threshold
    open_to_doubt = strung or finding.doubtful or finding.withdrawn
    if best is not None and enough and not open_to_doubt and not (runs_on and len(best.support.words) < NEAR_WHOLE * said):
        return _criterion(known, known.criterion.points, "met", f"Met by {_quote(answer, shown)}.", shown)
    if denial is not None and not claimed:
        return _criterion(
            known, 0, "unmet", f"{_quote(answer, denial.spans)} says the opposite of what is asked for: {asked}", denial.spans
        )
    if best is None or not (near or claimed):
        return _criterion(known, 0, "unmet", f"Missing: {asked}")
    if denial is not None and denial.last > best.last:
        reason = f"You say {_quote(answer, shown)}, and later {_quote(answer, denial.spans)}: the two don't hold together."
        return _criterion(known, 0, "unmet", reason, denial.spans)
    if strung:
        return _criterion(known, 0, "unmet", f"Terms in a row claim nothing; say what they do. Missing: {asked}")
    if finding.withdrawn:
        reason = f"You say {_quote(answer, shown)}, and then change your mind; say what holds in the end: {asked}"
    elif finding.doubtful:
        reason = f"{_quote(answer, shown)} stands among denials; say what holds, in a sentence without a *not*: {asked}"
    elif enough:
        reason = f"{_quote(answer, shown)} has the right words; say in a plain sentence what follows from what: {asked}"
    else:
        reason = f"{_quote(answer, shown)} comes near, but it isn't clear that it says this: {asked}"
    return _criterion(known, 0, "unsure", reason, shown)


def _as_it_stands(known: ReadyCriterion, claim: Claim, answer: str) -> CriterionScore:
    return _criterion(known, known.criterion.points, "met", f"Met by {_quote(answer, claim.spans)}.", claim.spans)


def _holds(claim: Claim, finding: Finding, cancelled: bool) -> bool:
    """Whether nothing after an accepted phrase takes it back."""
    denied = finding.denial is not None and finding.denial.last > claim.last
    return not (denied or cancelled or any(change > claim.last for change in finding.changes))


def _is_stated_there(wrong: Claim, right: Claim | None, known: ReadyCriterion, clauses: Sequence[Clause]) -> bool:
    """Whether the words that seem to meet a criterion state a misconception, nearly as the rubric puts it."""
    if right is None or not _is_within(right, wrong) or wrong.support.strength < VERBATIM:
        return False
    words = window(clauses, right.first, right.last).words
    return best_phrase(known.freely, words).strength < wrong.support.strength


def _is_within(right: Claim | None, wrong: Claim) -> bool:
    return right is not None and right.first >= wrong.first and right.last <= wrong.last


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


def score_text(rubric: Rubric, stem: str, answer: str, titles: Mapping[str, str], tier: Tier | None = None) -> Score:
    """Scores a written answer.

    Args:
        stem: the question as shown; repeating it earns nothing.
        titles: misconception id -> title.
        tier: ``None``: the best one that is loaded.

    Raises:
        AnswerError: the answer is longer than ``MAX_CHARACTERS``.
    """
    if len(answer) > MAX_CHARACTERS:
        raise AnswerError(f"An answer of over {MAX_CHARACTERS} characters is too long to score; say it more briefly.")
    known = ready(rubric, stem)
    words = read_words(answer, known.spelling)
    content = {word.key for word in words if word.content}
    if not is_whole_answer(known, answer):
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
        asks_back = not content - known.question and answer.rstrip().endswith("?")
        if asks_back or (len(content - known.question) <= 0.2 * len(content) and echoes(words, known)):
            return _nothing(known, "The answer repeats the question; say what lies behind it.")
        if is_list(answer, words):
            return _nothing(known, "A list of terms claims nothing; say in sentences what they do.")

    clauses = split(answer, words)
    views = tuple(windows(clauses))
    measure = (tier or present()).measure(answer, clauses, known)
    found = [find(criterion, answer, clauses, views, known, measure) for criterion in known.criteria]
    at_first = {criterion.criterion.id: finding for criterion, finding in zip(known.criteria, found, strict=True)}
    misread = tuple(read(known, clauses, views, at_first, measure.nearness))
    findings = settled(known, found, clauses, words, measure, misread)
    strung = strung_together(findings, clauses, known)
    runs_on = says_nothing_of_its_own(words, clauses)
    by_id = {criterion.criterion.id: finding for criterion, finding in zip(known.criteria, findings, strict=True)}
    wrong = stated(known, clauses, views, misread, by_id, measure.beliefs)
    as_it_stands = word_for_word(known, clauses)
    wrong = {id: claim for id, claim in wrong.items() if not any(_is_within(claim, right) for right in as_it_stands.values())}
    cancels: dict[str, tuple[str, Claim]] = {}
    for finding, criterion in zip(findings, known.criteria, strict=True):
        for misconception in known.misconceptions:
            id, claim = misconception.shown.id, wrong.get(misconception.shown.id)
            if claim is None:
                continue
            # Words that only resemble a misconception take nothing from what is said elsewhere.
            plain = claim.support.strength >= SHOWN or _is_within(finding.best, claim)
            linked = criterion.criterion.id in misconception.shown.cancels and plain
            if linked or _is_stated_there(claim, finding.best, criterion, clauses):
                cancels[criterion.criterion.id] = titles.get(id, id), claim
    criteria = tuple(
        _as_it_stands(criterion, as_it_stands[at], answer)
        if at in as_it_stands and _holds(as_it_stands[at], finding, criterion.criterion.id in cancels)
        else _judged(
            criterion,
            finding,
            answer,
            _shown(finding.best, clauses),
            at in strung,
            runs_on,
            len(content),
            cancels.get(criterion.criterion.id),
        )
        for at, (criterion, finding) in enumerate(zip(known.criteria, findings, strict=True))
    )
    return score_of(criteria, tuple(wrong), _follow_up(known, criteria, tuple(wrong)))
