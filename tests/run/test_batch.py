"""A batch answers every question once, whatever its pipeline does, and a resumed one asks only for the rest."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rag1.errors import AuthError, CallFailed, Deadline, InputError, StorageError, TooManyFailures
from rag1.llm.ledger import Account, Ledger
from rag1.llm.wire import Tokens
from rag1.run import batch as batch_module
from rag1.run.batch import Batch, Executor
from rag1.run.journal import Journal
from rag1.types import Answer, Pipeline, Query, Retrieved, Route, Step, Usage

FOUR_WORKERS = Executor(workers=4)
QUERIES = [Query(str(n), f"問い{n}") for n in range(1, 11)]


def echo(query: Query) -> Answer:
    return Answer(query.id, f"答え{query.id}")


def run(folder: Path, pipeline: Pipeline, executor: Executor = FOUR_WORKERS) -> dict[str, Answer]:
    with Journal(folder / "journal.jsonl") as journal:
        return Batch(pipeline, executor, journal)(QUERIES)


def lines(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]


def test_every_question_gets_one_answer(tmp_path: Path) -> None:
    answers = run(tmp_path, echo)
    assert [answers[q.id].text for q in QUERIES] == [f"答え{n}" for n in range(1, 11)]
    assert sorted(str(r["index"]) for r in lines(tmp_path) if "index" in r) == sorted(q.id for q in QUERIES)


def test_workers_work_at_the_same_time(tmp_path: Path) -> None:
    together = threading.Barrier(5, timeout=10)

    def meet(query: Query) -> Answer:
        together.wait()
        return echo(query)

    assert len(run(tmp_path, meet, Executor(workers=5))) == 10


def test_a_failure_is_a_row_of_its_own(tmp_path: Path) -> None:
    def fails_on_3(query: Query) -> Answer:
        if query.id == "3":
            raise CallFailed("500 after 5 attempts")
        return echo(query)

    answers = run(tmp_path, fails_on_3)
    assert (answers["3"].stop, answers["3"].text) == ("error", "分かりません")
    assert answers["3"].error == "CallFailed: 500 after 5 attempts"
    assert sum(a.stop == "answered" for a in answers.values()) == 9


def test_a_bug_costs_one_question_and_shows_its_traceback(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def bug(query: Query) -> Answer:
        return echo(query) if query.id != "5" else echo(QUERIES[10])

    with caplog.at_level(logging.ERROR):
        answers = run(tmp_path, bug)
    assert answers["5"].error.startswith("IndexError")
    assert "Traceback" in caplog.text


@pytest.mark.parametrize("error", [AuthError("401"), InputError("bad"), StorageError("disk full")])
def test_what_every_question_would_meet_stops_the_run(tmp_path: Path, error: Exception) -> None:
    def refuses(query: Query) -> Answer:
        raise error

    with pytest.raises(type(error)):
        run(tmp_path, refuses, Executor(workers=1))
    assert len(lines(tmp_path)) == 1


def test_too_many_failures_stop_the_run_and_name_the_last(tmp_path: Path) -> None:
    def always(query: Query) -> Answer:
        raise CallFailed("500")

    with pytest.raises(TooManyFailures, match=r"3 questions failed, executor\.max_failures is 2; .*question 3"):
        run(tmp_path, always, Executor(workers=1, max_failures=2))


def test_a_question_that_hangs_is_given_up_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_module, "GRACE", 0.2)
    release = threading.Event()

    def hangs_on_2(query: Query) -> Answer:
        if query.id == "2":
            release.wait(30)
        return echo(query)

    start = time.monotonic()
    answers = run(tmp_path, hangs_on_2, Executor(workers=1, deadline=0.3))
    release.set()
    assert time.monotonic() - start < 5
    assert answers["2"].stop == "timeout"
    assert sum(a.stop == "answered" for a in answers.values()) == 9


def test_a_deadline_met_inside_is_a_timeout(tmp_path: Path) -> None:
    def late(query: Query) -> Answer:
        raise Deadline("no reply in 60 s")

    assert run(tmp_path, late)["1"].stop == "timeout"


def interrupted(folder: Path, after: int) -> list[str]:
    """Runs until `after` questions have been asked, then stops as a fatal error does; gives what was asked."""
    asked: list[str] = []

    def stops(query: Query) -> Answer:
        if len(asked) == after:
            raise AuthError("401")
        asked.append(query.id)
        return echo(query)

    with pytest.raises(AuthError):
        run(folder, stops, Executor(workers=1))
    return asked


@pytest.mark.parametrize("after", [0, 1, 5, 9])
def test_resume_asks_for_the_rest_only(tmp_path: Path, after: int) -> None:
    before = interrupted(tmp_path, after)
    asked: list[str] = []

    def counts(query: Query) -> Answer:
        asked.append(query.id)
        return echo(query)

    answers = run(tmp_path, counts, Executor(workers=1))
    assert before + asked == [q.id for q in QUERIES]
    assert len(answers) == 10


def test_resume_asks_failed_questions_again(tmp_path: Path) -> None:
    def fails(query: Query) -> Answer:
        raise CallFailed("500")

    run(tmp_path, fails)
    assert all(a.stop == "answered" for a in run(tmp_path, echo).values())


def test_a_line_torn_by_a_kill_is_cut_off(tmp_path: Path) -> None:
    run(tmp_path, echo)
    path = tmp_path / "journal.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.rindex(b'{"index"') + 20])
    with Journal(path) as journal:
        assert len(journal.settled) == 9
        assert len(journal.in_hand) == 1
    assert len(run(tmp_path, echo)) == 10


def test_two_runs_cannot_write_one_journal(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.jsonl"), pytest.raises(StorageError, match="another run"):
        Journal(tmp_path / "journal.jsonl").__enter__()


def test_what_was_spent_is_on_record_with_every_answer_and_at_the_end(tmp_path: Path) -> None:
    """The last question dies after it spent: its tokens are lost to the answers, not to the run."""
    ledger = Ledger()
    place = Account("", "answer_from", "answers", "m")

    def pays(query: Query) -> Answer:
        ledger.attempt(place, Tokens(100, 10), paid=False)
        if query.id == "3":
            raise AuthError("401")
        return echo(query)

    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal, pytest.raises(AuthError):
        Batch(pays, Executor(workers=1), journal, spent=ledger.spent)(QUERIES)
    with Journal(path) as journal:
        assert journal.spent == Usage(prompt_tokens=200, completion_tokens=20)
        journal.stop(ledger.spent)
    with Journal(path) as journal:
        assert journal.spent == Usage(prompt_tokens=300, completion_tokens=30)
        assert sorted(journal.settled) == ["1", "2"]


def test_a_foreign_file_is_not_taken_for_a_journal(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(StorageError, match="line 1"):
        Journal(tmp_path / "journal.jsonl").__enter__()


@pytest.mark.parametrize(("key", "value"), [("answer", 42), ("evidence", None), ("stop", "done"), ("usage", {})])
def test_an_edited_line_is_not_taken_for_an_answer(tmp_path: Path, key: str, value: object) -> None:
    run(tmp_path, echo)
    path = tmp_path / "journal.jsonl"
    whole = [json.loads(line) for line in path.read_text().splitlines()]
    place = next(n for n, line in enumerate(whole) if "answer" in line)
    whole[place] = {**whole[place], key: value} if key != "usage" else {"index": "1"}
    path.write_text("".join(json.dumps(line) + "\n" for line in whole))
    with pytest.raises(StorageError, match=rf"line {place + 1}: not a journal line"):
        run(tmp_path, echo)


def test_an_answer_survives_the_journal_whole(tmp_path: Path) -> None:
    full = Answer(
        "1",
        "三\n円",
        "根拠\u2028。",
        (
            Retrieved("a:0-3", "本文。", "a", (0, 3), 0.5, "bm25"),
            Retrieved("fact:1", "甲 - 父 -> 乙", "a", None, 1.0, "graph"),
        ),
        usage=Usage(2, 1, 300, 20, None),
        trace=(Step("read", "2 passages", 0.25),),
        flags=("evidence_snapped",),
        confidence=0.75,
        route=Route((("a", 0.9), ("b", 0.1)), 0.8, "title"),
    )
    run(tmp_path, lambda q: full if q.id == "1" else echo(q))
    with Journal(tmp_path / "journal.jsonl") as journal:
        kept = journal.settled["1"]
    assert kept.support == full.support
    assert (kept.text, kept.evidence, kept.trace, kept.flags, kept.confidence, kept.route) == (
        full.text,
        full.evidence,
        full.trace,
        full.flags,
        full.confidence,
        full.route,
    )


def test_lone_surrogates_do_not_break_the_journal(tmp_path: Path) -> None:
    run(tmp_path, lambda q: Answer(q.id, "壊れた\ud800文字"))
    with Journal(tmp_path / "journal.jsonl") as journal:
        assert journal.settled["1"].text == "壊れた?文字"


def test_an_unbroken_run_gives_the_very_answers_that_a_resumed_one_reads(tmp_path: Path) -> None:
    odd = ["壊れた\ud800文字", "\x00無\u2028行\x85", '=1+1,"引用"\r\n次', "<|endoftext|>"]
    answers = run(tmp_path, lambda q: Answer(q.id, odd[int(q.id) % len(odd)], seconds=1 / 3))
    with Journal(tmp_path / "journal.jsonl") as journal:
        assert journal.settled == answers


def settings(**values: float) -> Callable[[], Executor]:
    return lambda: Executor(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (settings(workers=0), r"executor\.workers 0"),
        (settings(deadline=0), r"executor\.deadline 0"),
        (settings(max_failures=-1), r"executor\.max_failures -1"),
    ],
)
def test_impossible_settings_are_named(make: Callable[[], Executor], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
