"""From what ranks ended with to an outcome: the culprit is named, not those who waited for it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizapp.judge.outcome import Ending, crossing_text, ending, everyone_came, printable, ranks_text
from quizapp.model.verdict import Place

SEEN: dict[str, Any] = {"state": "observed"}
PEER: dict[str, Any] = {"state": "peer", "message": "RuntimeError: Connection closed by peer", "line": 9}
RAISED: dict[str, Any] = {"state": "raised", "message": "ValueError: boo", "line": 7, "function": "f"}
INVALID: dict[str, Any] = {"state": "invalid", "message": "returned None; return a scalar"}
MEMORY: dict[str, Any] = {"state": "limit", "message": "ran out of the memory allowed", "line": 4}
FORGED: dict[str, Any] = {"state": "forged", "message": "wrote to the judge's stream (the header is not JSON)"}
SEGFAULT: dict[str, Any] = {"state": "killed", "signal": 11}
ABORT: dict[str, Any] = {"state": "killed", "signal": 6}
KILLED: dict[str, Any] = {"state": "killed", "signal": 9}
EXITED: dict[str, Any] = {"state": "exited", "code": 0}
WAITING: dict[str, Any] = {"state": "waiting", "line": 5, "collectives": ["#1 all_reduce([] int64) at line 5"]}
RUNNING: dict[str, Any] = {"state": "running", "line": 3, "function": "f"}
MISSED = {"number": 2, "calls": ["all_reduce([36] float64) in backward", None]}
DIFFERS = {"number": 1, "calls": ["all_reduce([] int64) at line 5", "barrier at line 8"]}


@pytest.mark.parametrize(
    ("end", "given", "mismatch", "outcome", "said"),
    [
        ("failed", [PEER, RAISED], MISSED, "error", "ValueError: boo (rank 1, line 7 of your file)"),
        ("failed", [RAISED, RAISED], None, "error", "ValueError: boo (every rank, line 7 of your file)"),
        ("failed", [ABORT, RAISED], MISSED, "error", "ValueError: boo (rank 1"),
        ("failed", [RAISED, INVALID], None, "invalid", "rank 1 returned None"),
        ("failed", [RAISED, MEMORY], None, "limit", "rank 1 ran out of the memory allowed, line 4 of your file"),
        ("failed", [PEER, FORGED], None, "invalid", "rank 1 wrote to the judge's stream"),
        ("failed", [PEER, SEGFAULT], MISSED, "error", "rank 1 crashed (SIGSEGV)"),
        ("failed", [PEER, KILLED], None, "limit", "rank 1 was killed: it used more memory than allowed"),
        ("failed", [ABORT, SEGFAULT], None, "error", "rank 1 crashed (SIGSEGV)"),
        ("failed", [PEER, EXITED], MISSED, "error", "rank 1 ended its own process before it returned (exit code 0)"),
        ("output", [RUNNING, WAITING], None, "limit", "printed more than allowed (256 KiB), line 3 of your file"),
        ("timeout", [WAITING, RUNNING], None, "timeout", "rank 1 did not return in time (5 s), line 3 of your file"),
        ("timeout", [{"state": "running"}, RUNNING], None, "timeout", "rank 1 did not return in time (5 s), line 3 of your file"),
        ("timeout", [SEEN, WAITING], None, "timeout", "rank 1 did not return in time (5 s), line 5 of your file"),
        (
            "total",
            [SEEN, WAITING],
            None,
            "timeout",
            "the time for all scenarios together (120 s) was up before rank 1 returned, line 5 of your file",
        ),
        (
            "stuck",
            [WAITING, SEEN],
            MISSED,
            "desync",
            "rank 1 never joined collective #2, in which rank 0 waits: all_reduce([36] float64) in backward",
        ),
        (
            "stuck",
            [WAITING | {"collectives": ["#5 broadcast([1] int64, among ranks 0)", "#6 all_reduce([] int64) at line 9"]}, SEEN],
            {"number": 2, "calls": ["all_reduce([] int64) at line 9", None]},
            "desync",
            "rank 1 never joined collective #6, in which rank 0 waits: all_reduce([] int64) at line 9",
        ),
        (
            "stuck",
            [WAITING, WAITING],
            DIFFERS,
            "desync",
            "collective #1 differs: rank 0 called all_reduce([] int64) at line 5; rank 1 called barrier at line 8",
        ),
        (
            "stuck",
            [WAITING, WAITING],
            None,
            "desync",
            "the ranks wait for each other for ever: ranks 0 and 1 in all_reduce([] int64) at line 5",
        ),
        (
            "stuck",
            [{**WAITING, "line": 9}, {**WAITING, "line": None}, SEEN],
            None,
            "desync",
            "the ranks wait for each other for ever: rank 0 at line 9 of your file; "
            "rank 1 outside of your file, after all_reduce([] int64) at line 5; rank 2 has returned",
        ),
        (
            "stuck",
            [{**WAITING, "awaits": "recv([1] int64, from rank 1) at line 4"}, {**WAITING, "awaits": "barrier at line 5"}],
            None,
            "desync",
            "the ranks wait for each other for ever: rank 0 at line 5 of your file, for recv([1] int64, from rank 1) at line 4; "
            "rank 1 in barrier at line 5",
        ),
        (
            "stuck",
            [WAITING, {**WAITING, "awaits": "recv([1] int64, from rank 0) at line 5"}],
            MISSED,
            "desync",
            "rank 1 never joined collective #2, in which rank 0 waits: all_reduce([36] float64) in backward; "
            "rank 1 waits in recv([1] int64, from rank 0) at line 5",
        ),
        ("failed", [ABORT, ABORT], DIFFERS, "desync", "collective #1 differs"),
        ("failed", [PEER, ABORT], None, "error", "rank 1 crashed (SIGABRT)"),
    ],
)
def test_root_cause(end: str, given: list[dict[str, Any]], mismatch: dict[str, Any] | None, outcome: str, said: str) -> None:
    found = ending(end, given, mismatch)
    assert found.outcome == outcome
    assert found.message is not None
    assert found.message.startswith(said)


def test_ranks_that_finished_are_left_to_their_numbers() -> None:
    assert ending("clean", [SEEN, SEEN], None).outcome is None
    found = ending("clean", [SEEN, SEEN], DIFFERS)
    assert found.outcome is None
    assert found.mismatch is not None
    assert found.mismatch.startswith("collective #1 differs")


def test_a_long_message_is_cut_in_the_sentence_and_kept_in_the_report() -> None:
    found = ending("failed", [{**RAISED, "message": "ValueError: " + "x" * 1500}, PEER], None)
    assert found.message is not None
    assert len(found.message) < 500
    assert found.message.endswith("xxx ... (rank 0, line 7 of your file)")
    assert len(found.ranks[0].message or "") > 1500


class TestEveryoneCame:
    """A call that the ranks made in different ways is told from one that a rank left out."""

    def parted(self, *calls: str, everyone: bool = True) -> Ending:
        return ending("stuck", [WAITING, WAITING], {"number": 1, "calls": list(calls), "everyone": everyone})

    def well(self, *calls: str) -> Ending:
        return ending("clean", [{**SEEN, "collectives": [f"#1 {call}" for call in calls]}] * 2, None)

    def test_at_one_line(self) -> None:
        found = self.parted("all_reduce([] int64) at line 7", "all_reduce([] float64) at line 7")
        assert everyone_came(found, [self.well("all_reduce([] int64) at line 7")])

    def test_at_two_lines_of_which_each_rank_passes_one(self) -> None:
        found = self.parted("all_reduce([] int64) at line 7", "all_reduce([] float64) at line 9")
        assert everyone_came(found, [self.well("all_reduce([] int64) at line 7", "all_reduce([36] float64) in backward")])

    def test_not_at_two_lines_that_a_rank_passes_one_after_the_other(self) -> None:
        found = self.parted("all_reduce([] int64) at line 7", "all_reduce([] float64) at line 9")
        assert not everyone_came(found, [self.well("all_reduce([] int64) at line 7", "all_reduce([] float64) at line 9")])

    def test_not_in_different_calls(self) -> None:
        found = self.parted("all_reduce([] int64) at line 7", "barrier at line 9", everyone=False)
        assert not everyone_came(found, [])
        assert not everyone_came(ending("stuck", [WAITING, WAITING], MISSED), [])


def test_an_innocent_rank_is_said_to_wait_and_not_what_its_library_said() -> None:
    waiting, culprit = ending("failed", [PEER, RAISED], MISSED).ranks
    assert (waiting.state, waiting.message, waiting.place) == ("waiting", None, Place(line=9))
    assert (culprit.state, culprit.message) == ("raised", "ValueError: boo")


def test_lines_and_collectives_of_ranks_are_kept() -> None:
    (first, second) = ending("stuck", [WAITING, RUNNING], None).ranks
    assert first.collective == "#1 all_reduce([] int64) at line 5"
    assert first.place == Place(line=5)
    assert second.place == Place(line=3, function="f")


STATES = st.sampled_from([SEEN, PEER, RAISED, INVALID, MEMORY, FORGED, SEGFAULT, ABORT, KILLED, EXITED, WAITING, RUNNING])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=5
)
ANY = st.dictionaries(
    st.sampled_from(["state", "message", "line", "column", "function", "signal", "code", "collectives", "awaits"]), JSON
)
MISMATCHES = st.none() | st.dictionaries(
    st.sampled_from(["number", "calls"]), st.lists(st.none() | st.text(max_size=5), max_size=3)
)


@given(
    st.sampled_from(["clean", "failed", "stuck", "timeout", "total", "output", "", "pass"]),
    st.lists(STATES | ANY, min_size=1, max_size=4),
    MISMATCHES,
)
def test_whatever_is_reported_there_is_an_outcome_and_it_is_never_a_pass(
    end: str, given: list[dict[str, Any]], mismatch: dict[str, Any] | None
) -> None:
    found = ending(end, given, mismatch)
    assert isinstance(found, Ending)
    if not all(report.get("state") == "observed" for report in given):
        assert found.outcome not in (None, "pass")
        assert found.message
    json.dumps([report.model_dump(mode="json") for report in found.ranks])
    for report in found.ranks:
        report.model_dump_json()


class TestPrintable:
    """What a submission says reaches terminals and JSON: nothing in it is obeyed, and all of it can be encoded."""

    def test_signs_that_a_terminal_obeys(self) -> None:
        assert printable("a\x1b[2Jb\x07\x9b1m\x7f\rc\0") == "a\ufffd[2Jb\ufffd\ufffd1m\ufffd\ufffdc\ufffd"

    def test_lines_and_tabs_stay(self) -> None:
        assert printable("a\tb\nc\r\nd") == "a\tb\nc\nd"

    def test_signs_that_turn_a_line_round_or_break_it(self) -> None:
        assert printable("a\u202essap\u2069\u200f\u061cb\u2028c") == "a\ufffdssap\ufffd\ufffd\ufffdb\ufffdc"

    def test_no_line_of_a_message_can_pass_for_one_of_the_verdict(self) -> None:
        found = ending("failed", [{**RAISED, "message": "ValueError: no\n\npass: 5 of 5 points\r\nRight."}], None)
        assert found.message is not None
        assert "\n" not in found.message
        assert found.ranks[0].message == "ValueError: no\n\npass: 5 of 5 points\nRight."
        forged = ending("stuck", [WAITING, WAITING], {"number": 1, "calls": ["all_reduce\npass: 5 of 5 points", None]})
        assert "\n" not in (forged.message or "")

    @given(st.text() | st.text(st.characters(categories=["Cs", "Cc"])))
    def test_can_always_be_encoded(self, text: str) -> None:
        assert "\x1b" not in printable(text)
        printable(text).encode()

    def test_messages_are_printable(self) -> None:
        found = ending("failed", [{**RAISED, "message": "ValueError: \ud800\x1b]0;pass\x07"}], None)
        assert found.message is not None
        assert "\x1b" not in found.message
        assert "\x1b" not in found.ranks[0].model_dump_json()


def test_numbers_may_be_right_and_a_call_too_many_all_the_same() -> None:
    ended = ending("unrecorded", [SEEN, SEEN], None)
    assert ended.outcome is None
    assert "did not pair up" in (ended.mismatch or "")
    assert ending("clean", [SEEN, SEEN], None).mismatch is None


def test_a_call_that_others_of_its_group_left_out_is_told() -> None:
    lone = {**SEEN, "alone": {"call": "all_reduce([1] float32, among ranks 0, 1) at line 8", "absent": [1]}}
    ended = ending("alone", [lone, SEEN, SEEN], None)
    told = "rank 0 called all_reduce([1] float32, among ranks 0, 1) at line 8, which rank 1 never joined"
    assert (ended.outcome, ended.mismatch) == (None, told)
    assert ending("alone", [{**SEEN, "alone": 1}], None).mismatch


@pytest.mark.parametrize(("ranks", "text"), [([1], "rank 1"), ([0, 2], "ranks 0 and 2"), ([0, 1, 3], "ranks 0, 1 and 3")])
def test_ranks_text(ranks: list[int], text: str) -> None:
    assert ranks_text(ranks) == text


def test_crossings_are_told_by_steps_first_and_by_lines_otherwise() -> None:
    lines = {"number": 1, "steps": [1, 1], "origins": ["at line 5", "at line 8"]}
    assert crossing_text(lines) == "collective #1 was called at line 5 by rank 0, at line 8 by rank 1, so their values were mixed"
    steps = {"number": 3, "steps": [1, 2, 2], "origins": ["at line 5"] * 3}
    assert (
        crossing_text(steps)
        == "collective #3 was called in step 1 by rank 0, in step 2 by ranks 1 and 2, so their values were mixed"
    )


def test_lines_that_no_rank_made_both_are_one_call_in_two_branches() -> None:
    crossing = {"number": 2, "steps": [1, 1], "origins": ["at line 5", "at line 8"]}

    def told(*calls: list[str]) -> str | None:
        return ending("clean", [{"state": "observed", "collectives": its} for its in calls], None, crossing).crossing

    first, second = ("all_reduce([] int64) at line 5", "all_reduce([] int64) at line 8")
    assert told([f"#2 {first}"], [f"#2 {second}"]) is None
    assert told([f"#2 {first}", f"#3 {second}"], [f"#2 {second}", f"#3 {first}"]) == crossing_text(crossing)
    assert told([f"#{number} {first}" for number in range(8)], [f"#2 {second}"]) == crossing_text(crossing)


def test_a_files_name_is_told_as_text_and_its_size_is_looked_at_before_it_is_parsed() -> None:
    from quizapp.bank.find import builtin_folder
    from quizapp.bank.lab import load_lab
    from quizapp.judge.bench import Bench
    from quizapp.judge.judge import MAX_SOURCE

    folder = builtin_folder() / "intended-average" / "labs" / "scale-local-loss"
    bench = Bench("local")
    try:
        named = bench.judge(load_lab(folder), folder, "x(", "a\x1b[2J\n\u202e.py", points=4, titles={})
        assert named.summary.startswith("a\ufffd[2J \ufffd.py, line 1, column 2: SyntaxError")
        large = bench.judge(load_lab(folder), folder, "x(" + "#" * MAX_SOURCE, "a.py", points=4, titles={})
        assert (large.outcome, large.points) == ("limit", 0)
        assert bench.judge(load_lab(folder), folder, "x = '\ud800'", "a.py", points=4, titles={}).outcome == "error"
    finally:
        bench.close()
