"""Sample answers for the store's tests."""

from quizapp.model.score import CriterionScore, score_of
from quizapp.model.verdict import Verdict
from quizapp.store.record import Answer

SCORE = score_of((CriterionScore(id="main", points=1, max_points=1, met="met", reason="2 is the global mean."),))
VERDICT = Verdict(
    outcome="wrong",
    points=0,
    max_points=4,
    seed=7,
    summary="The ranks ended with other gradients than wanted.",
    backend="local",
    sandbox="none",
    device="cpu",
    collectives="gloo",
    milliseconds=31.5,
)


def answer(
    session: int | None = None, text: str = "2", item: str = "two-rank-mean", part: str = "main", confidence: int | None = 3
) -> Answer:
    return Answer(
        session=session,
        bank="intended-average",
        item=item,
        part=part,
        seed=None,
        text=text,
        item_hash="abc",
        scorer="quizapp 0.1.0",
        score=SCORE,
        confidence=confidence,
    )


def code(text: str) -> Answer:
    return Answer(
        session=None,
        bank="intended-average",
        item="scale-local-loss",
        part="main",
        seed=7,
        text=text,
        item_hash="abc",
        scorer="quizapp 0.1.0",
        verdict=VERDICT,
    )
